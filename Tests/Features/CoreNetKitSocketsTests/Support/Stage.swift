import CoreNetKitSockets
import TestSupport

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
    init(
        _ way: Way,
        protocols: [String] = [],
        client change: (Client) -> Client = { $0 },
        scripts: [Script]
    ) throws {
        switch way {
        case .mock:
            let line = Line(scripts.map { .socket(protocols: protocols, $0) })
            (clock, server) = (line.clock, nil)
            builder = line.builder(change(line.client))
        case .wire:
            let wire = try SocketWire { .socket(protocols: protocols, scripts[min($0.index, scripts.count - 1)]) }
            clock = wire.clock
            builder = wire.builder(change(Client(clock: CallClock(clock), seed: 1)))
            server = wire.server
        }
    }

    init(_ way: Way, protocols: [String] = [], _ script: @escaping Script, then second: Script? = nil) throws {
        try self.init(way, protocols: protocols, scripts: [script] + (second.map { [$0] } ?? []))
    }

    /// A socket of JSON.
    func models<In: Decodable, Out: Encodable>(
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) -> Chain<Void, Socket<In, Out>> {
        var options = Self.options
        change(&options)
        return builder.socket(reading: .json, writing: .json, options)
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

    /// Sends back what comes.
    static let echo: Script = { peer in
        while true {
            switch try await peer.message() {
            case .text(let text): peer.send(text: text)
            case .data(let data): peer.send(data: data)
            default: return
            }
        }
    }

    /// Options of sockets that connect again, but not for ever: a script that fails is to end its test.
    static let options = SocketOptions { options in
        (options.keepAlive, options.reconnection) = (nil, .standard)
        options.reconnection.limit = 3
    }
}

extension SocketPeer {
    /// Waits for a message in JSON.
    func receive<Model: Decodable>(_: Model.Type = Model.self) async throws -> Model {
        let event = try await message()
        guard case .text(let text) = event else { throw Stage.Unexpected(event: event) }
        return try JSONDecoder().decode(Model.self, from: Data(text.utf8))
    }

    /// Makes sure that the client has sent nothing more: its pong is the next that comes.
    func expectQuiet() async throws {
        ping(Data("quiet".utf8))
        let event = try await next()
        guard event == .pong(Data("quiet".utf8)) else { throw Stage.Unexpected(event: event) }
    }
}

/// A real server, and clients of it.
struct SocketWire {
    let server: LoopbackServer
    let clock = ManualClock()

    init(_ response: LoopbackResponse) throws { server = try LoopbackServer { _ in response } }

    init(_ handler: @escaping @Sendable (LoopbackRequest) throws -> LoopbackResponse) throws {
        server = try LoopbackServer(handler: handler)
    }

    /// A server that plays a script over each connection.
    static func play(_ script: @escaping Stage.Script) throws -> SocketWire { try SocketWire(.socket(script)) }

    /// Of the scheme `ws`.
    func url(_ path: String = "/socket") -> String {
        server.url(path).absoluteString.replacingOccurrences(of: "http:", with: "ws:")
    }

    /// A client whose time goes by itself, or as the test says.
    func builder(_ client: Client = Client(seed: 1)) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client).route(.get, url())
    }

    func texts(
        _ client: Client = Client(seed: 1),
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) -> Chain<Void, Socket<String, String>> { builder(client).texts(change) }
}

extension LoopbackResponse {
    /// Sends back what comes.
    static let echo: LoopbackResponse = .socket(Stage.echo)
}
