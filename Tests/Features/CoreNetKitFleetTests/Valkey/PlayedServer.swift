import CoreNetKitChain
@testable import CoreNetKitFleet
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem
import TestSupport

/// A server that a test plays: it gets commands, and says what the test wants.
final class PlayedServer: Sendable {
    /// What a command gets: the bytes of a reply, or nothing.
    typealias Play = @Sendable ([String]) -> String?

    /// A map as servers greet with.
    static func handshake(mode: String = "standalone", proto: Int = 3, role: String = "master") -> String {
        "%3\r\n+mode\r\n+\(mode)\r\n+proto\r\n:\(proto)\r\n+role\r\n+\(role)\r\n"
    }

    private struct State: Sendable {
        var play: Play
        var commands: [[String]] = []
        var sends = 0
        var connections: [Pipe] = []
        var refusal: SharedStoreError?
    }

    private let state: Locked<State>
    /// Of each command, of each connection that its client closes, and of each that it tries to open.
    let (heard, closed, tried) = (Signal(), Signal(), Signal())

    init(_ play: @escaping Play = { _ in nil }) { state = Locked(State(play: play)) }

    /// All commands so far, HELLO and those about tracking included.
    var commands: [[String]] { state.withLock(\.commands) }
    /// How often bytes were sent.
    var sends: Int { state.withLock(\.sends) }
    /// How many connections were made.
    var connections: Int { state.withLock { $0.connections.count } }

    func play(_ play: @escaping Play) { state.withLock { $0.play = play } }

    /// Connections are refused from now on, or not any more.
    func refuse(_ error: SharedStoreError?) { state.withLock { $0.refusal = error } }

    /// Sends bytes over the connection that was made last.
    func say(_ text: String) { state.withLock(\.connections).last?.give(Data(text.utf8)) }

    /// Ends the connection that was made last.
    func end() { state.withLock(\.connections).last?.end() }

    var connector: ValkeyConnector {
        ValkeyConnector { [self] in
            tried.signal()
            let pipe = Pipe()
            try state.withLock { state in
                if let refusal = state.refusal { throw refusal }
                state.connections.append(pipe)
            }
            let reader = Locked(RESPReader())
            return DuplexStream(
                receive: { try await pipe.next() },
                send: { [self] bytes in
                    state.withLock { $0.sends += 1 }
                    let commands = try reader.withLock { reader in
                        reader.append(bytes)
                        var commands: [[String]] = []
                        while case .array(let parts) = try reader.next() { commands.append(parts.compactMap(\.string)) }
                        return commands
                    }
                    for command in commands {
                        let play = state.withLock { state in
                            state.commands.append(command)
                            return state.play
                        }
                        let isHandshake = command.first == "HELLO"
                        if let reply = play(command) ?? (isHandshake ? PlayedServer.handshake() : nil) {
                            pipe.give(Data(reply.utf8))
                        }
                        heard.signal()
                    }
                },
                close: { [closed] in
                    pipe.end()
                    closed.signal()
                }
            )
        }
    }

    /// A store over this server.
    func store(
        timeout: Duration = .milliseconds(20),
        credentials: ValkeyStore.Credentials? = nil,
        clock: some Clock<Duration>
    ) -> ValkeyStore {
        ValkeyStore(
            connector,
            ValkeyHandshake(credentials: credentials, name: "test"),
            timeout: timeout,
            clock: CallClock(clock)
        )
    }
}

/// Bytes on their way to a reader.
private final class Pipe: Sendable {
    private struct State: Sendable {
        var chunks: [Data] = []
        var isEnded = false
        var reader: Waiter<Data?>?
    }

    private let state = Locked(State())

    func give(_ data: Data) {
        let reader = state.withLock { state -> Waiter<Data?>? in
            guard state.reader == nil else { return state.reader.take() }
            state.chunks.append(data)
            return nil
        }
        reader?.resume(.success(data))
    }

    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            return state.reader.take()
        }
        reader?.resume(.success(nil))
    }

    func next() async throws -> Data? {
        let waiter = Waiter<Data?>()
        let now = state.withLock { state -> Data?? in
            if !state.chunks.isEmpty { return .some(state.chunks.removeFirst()) }
            if state.isEnded { return .some(nil) }
            state.reader = waiter
            return nil
        }
        if let now { return now }
        return try await waiter.value()
    }
}
