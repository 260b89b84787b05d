import TestSupport

@testable import CoreNetKitFleet

/// A server that a test plays: it gets commands, and says what the test wants.
final class PlayedServer: Sendable {
    /// What a command gets: the bytes of a reply, or nothing.
    typealias Play = @Sendable ([String]) -> String?

    static func handshake(mode: String = "standalone", proto: Int = 3, role: String = "master") -> String {
        "%3\r\n+mode\r\n+\(mode)\r\n+proto\r\n:\(proto)\r\n+role\r\n+\(role)\r\n"
    }

    private struct State: Sendable {
        var play: Play
        var commands: [[String]] = []
        var sends = 0
        /// Bytes on their way to the clients.
        var connections: [AsyncStream<Data>.Continuation] = []
        var refusal: SharedStoreError?
    }

    private let state: Locked<State>
    /// Of each command, of each connection that its client closes, and of each that it tries to open.
    let (heard, closed, tried) = (Signal(), Signal(), Signal())

    init(_ play: @escaping Play = { _ in nil }) { state = Locked(State(play: play)) }

    /// All commands so far, HELLO and those about tracking included.
    var commands: [[String]] { state.withLock(\.commands) }
    var sends: Int { state.withLock(\.sends) }
    var connections: Int { state.withLock { $0.connections.count } }

    func play(_ play: @escaping Play) { state.withLock { $0.play = play } }

    /// Connections are refused from now on, or not any more.
    func refuse(_ error: SharedStoreError?) { state.withLock { $0.refusal = error } }

    func say(_ text: String) { state.withLock(\.connections).last?.yield(Data(text.utf8)) }

    func end() { state.withLock(\.connections).last?.finish() }

    var connector: ValkeyConnector {
        ValkeyConnector { [self] in
            tried.signal()
            let (bytes, connection) = AsyncStream.makeStream(of: Data.self)
            try state.withLock { state in
                if let refusal = state.refusal { throw refusal }
                state.connections.append(connection)
            }
            let reader = Locked(RESPReader())
            return DuplexStream(
                receive: {
                    var iterator = bytes.makeAsyncIterator()
                    return await iterator.next()
                },
                send: { [self] sent in
                    state.withLock { $0.sends += 1 }
                    let commands = try reader.withLock { reader in
                        reader.append(sent)
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
                            connection.yield(Data(reply.utf8))
                        }
                        heard.signal()
                    }
                },
                close: { [closed] in
                    connection.finish()
                    closed.signal()
                }
            )
        }
    }

    func store(
        timeout: Duration = .milliseconds(20),
        credentials: ValkeyStore.Credentials? = nil,
        clock: some Clock<Duration>
    ) -> ValkeyStore {
        ValkeyStore(connector, .hello(credentials, name: "test"), timeout: timeout, clock: CallClock(clock))
    }
}
