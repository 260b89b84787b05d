import CoreNetKitChain
import CoreNetKitSystem

/// Ends the waits for unreachable servers when the network is back.
struct NetworkWaits: Sendable {
    private let network: NetworkReturn
    private let random: Jitter
    /// How often the network had returned when the run began.
    private let returns: Int

    /// `nil` if the client does not observe the network.
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
            await engine.networkReturned()
        }
    }
}

extension OutboxEngine {
    /// Retries all unreachable servers; waits that a server asked for remain.
    func networkReturned() {
        deliveryGate.endHostWaits()
        wakeSignal.raise()
    }
}
