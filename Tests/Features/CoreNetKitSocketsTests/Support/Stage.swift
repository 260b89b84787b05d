import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitSockets
import CoreNetKitSystem
import Foundation

/// The same scripts over the mock and over a real connection, on a clock that stands still.
struct Stage {
    typealias Script = @Sendable (SocketPeer) async throws -> Void

    enum Way: CaseIterable, Sendable { case mock, wire }

    /// What the other side did instead of what its script expects.
    struct Unexpected: Error { let event: SocketPeerEvent }

    let clock: ManualClock
    let builder: UrlChainsBuilder<String>
    private let server: LoopbackServer?
    /// The last wait that has passed; no two are the same.
    private let passed = Locked<Duration?>(nil)

    /// Each connection plays the next script; the last one is repeated.
    init(_ way: Way, protocols: [String] = [], client change: (Client) -> Client = { $0 }, _ scripts: Script...) throws
    {
        switch way {
        case .mock:
            clock = ManualClock()
            let mock = MockTransport(clock: clock)
            // What was said last is asked first.
            for (index, script) in scripts.enumerated().reversed() {
                let times = index == scripts.count - 1 ? nil : 1
                mock.on(.get, "/socket", times: times, .socket(protocols: protocols, script))
            }
            let client = change(Client(clock: CallClock(clock), seed: 1).set(transport: mock))
            builder = UrlChainsBuilder<String>(client: client).route(.get, "wss://localhost/socket")
            server = nil
        case .wire:
            let wire = try SocketWire { request in
                .socket(protocols: protocols, scripts[min(request.index, scripts.count - 1)])
            }
            clock = wire.clock
            builder = wire.builder(change(Client(clock: CallClock(clock), seed: 1)))
            server = wire.server
        }
    }

    /// Lets the wait for the next connection pass.
    func connectAgain<In, Out>(_ socket: Socket<In, Out>) async throws {
        await until {
            guard case .waiting(let wait) = socket.state, passed.withLock({ $0 }) != wait else { return false }
            passed.withLock { $0 = wait }
            return true
        }
        let end = clock.now.advanced(by: passed.withLock { $0 } ?? .zero)
        // The limit of a close that its peer has not answered yet may come first.
        while try await clock.advanceToNextSleeper() < end {}
    }

    /// Options of sockets that connect again, but not for ever: a script that fails is to end its test.
    static var options: SocketOptions {
        var options = SocketOptions()
        (options.keepAlive, options.reconnection) = (nil, .standard)
        options.reconnection.limit = 3
        return options
    }
}

extension SocketPeer {
    /// Makes sure that the client has sent nothing more: its pong is the next that comes.
    func expectQuiet() async throws {
        ping(Data("quiet".utf8))
        let event = try await next()
        guard event == .pong(Data("quiet".utf8)) else { throw Stage.Unexpected(event: event) }
    }
}
