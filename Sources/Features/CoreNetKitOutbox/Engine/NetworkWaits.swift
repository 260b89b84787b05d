import CoreNetKitChain
import CoreNetKitSystem

/// Ends waits for servers that could not be reached, when the network is back.
struct NetworkWaits: Sendable {
    private let network: NetworkReturn
    private let random: Jitter
    /// How often the network had come back when the run began.
    private let returns: Int

    /// `nil` where nobody watches the network.
    init?(_ parts: ChainParts) {
        guard let network = parts.policy(NetworkReturn.self) else { return nil }
        (self.network, random, returns) = (network, parts.random, network.feed.value.returns)
    }

    /// Listens until the task is cancelled.
    func end(waitsOf engine: OutboxEngine) async {
        var last = returns
        for await state in network.feed.values where state.returns != last {
            last = state.returns
            let end = engine.time.monotonic() + NetworkReturn.window * random.next()
            guard (try? await engine.time.sleep(end)) != nil else { return }
            await engine.networkIsBack()
        }
    }
}

extension OutboxEngine {
    /// Tries all servers again that could not be reached; what a server has asked for stays as it is.
    func networkIsBack() {
        passage.endHostWaits()
        bell.ring()
    }
}
