import CoreNetKitJson
import CoreNetKitSockets
import TestSupport

/// A scripted server, a clock that stands still, and clients of both.
struct Line {
    let mock: MockTransport
    let clock = ManualClock()
    let client: Client

    /// Each connection plays the next script; the last one is repeated.
    init(_ scripts: MockResponse...) { self.init(scripts) }

    init(_ scripts: [MockResponse]) {
        mock = MockTransport(clock: clock)
        // What was said last is asked first.
        for (index, script) in scripts.enumerated().reversed() {
            mock.on(.get, "/socket", times: index == scripts.count - 1 ? nil : 1, script)
        }
        client = Client(clock: CallClock(clock), seed: 1).set(transport: mock)
    }

    init(_ script: @escaping Stage.Script) { self.init(.socket(script)) }

    init(_ first: @escaping Stage.Script, then second: @escaping Stage.Script) {
        self.init(.socket(first), .socket(second))
    }

    func builder(_ client: Client? = nil) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client ?? self.client).route(.get, "wss://localhost/socket")
    }

    func texts(_ change: (inout SocketOptions) -> Void = { _ in }) -> Chain<Void, Socket<String, String>> {
        builder().texts(change)
    }
}

extension UrlChainsBuilder {
    /// A socket of texts.
    func texts(_ change: (inout SocketOptions) -> Void = { _ in }) -> Chain<Void, Socket<String, String>> {
        socket(reading: .text, writing: .text, SocketOptions(change))
    }

    /// A socket of messages.
    func raw(_ change: (inout SocketOptions) -> Void) -> Chain<Void, Socket<SocketMessage, SocketMessage>> {
        rawSocket(SocketOptions(change))
    }
}

extension Socket {
    /// The next message.
    func next() async throws -> In? {
        var messages = makeAsyncIterator()
        return try await messages.next()
    }
}

extension Socket<SocketMessage, SocketMessage> {
    /// Sends texts and noise of these sizes, and expects each to come back.
    func expectEcho(_ sizes: [Int]) async throws {
        var random = SplitMix64(seed: 5)
        for size in sizes {
            let noise = Data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            let text = String(repeating: "Grüße! ", count: size / 9) + String(repeating: "x", count: size % 9)
            for message in [SocketMessage.text(text), .data(noise)] {
                try await send(message)
                let back = try await next()
                #expect(back == message, "\(size)")
            }
        }
    }
}

extension SocketOptions {
    init(_ change: (inout SocketOptions) -> Void) {
        self.init()
        change(&self)
    }
}

extension TokenRefresher {
    /// Tokens that are numbers, from 1.
    static func counting() -> TokenRefresher {
        let count = Locked(0)
        return TokenRefresher(origins: .any) { _ in AccessToken("\(count.next())") }
    }
}

extension ManualClock {
    /// Lets time pass once somebody waits.
    func pass(_ duration: Duration) async throws {
        try await waitForSleepers(1)
        advance(by: duration)
    }
}

/// A frame of `graphql-transport-ws`, or of a protocol like it.
struct GraphFrame: Codable, Equatable, Sendable {
    var id: String?
    var type: String
    var payload: Json?

    init(_ type: String, _ id: String? = nil, _ payload: Json? = nil) {
        (self.type, self.id, self.payload) = (type, id, payload)
    }
}

/// The socket error of a failure, and the failure itself.
func socketFailure(_ work: () async throws -> Void) async -> (NetworkError?, SocketError?) {
    let error = await failure(of: work)
    return (error, error?.cause as? SocketError)
}

/// Expects work to fail, with a socket error of this code if one is given.
func expectFailure(
    _ code: NetworkError.Code,
    _ cause: SocketError.Code? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Void
) async {
    let (error, found) = await socketFailure(work)
    #expect(error?.code == code, sourceLocation: location)
    if let cause { #expect(found?.code == cause, sourceLocation: location) }
}
