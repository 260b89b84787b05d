import TestSupport

/// A transport and the other side it talks to: a loopback server, or the mock's own script.
struct Peer: Sendable {
    /// A request as the other side saw it.
    struct Seen: Sendable {
        let method: HTTPMethod
        let target: String
        let headers: Headers
        let body: Data
        let trailers: Headers

        var text: String { String(decoding: body, as: UTF8.self) }

        init(_ request: LoopbackRequest) {
            (method, target, headers) = (request.method, request.target, request.headers)
            (body, trailers) = (request.body, request.trailers)
        }

        init(_ request: MockRequest) {
            (method, headers, body, trailers) = (request.method, request.headers, request.body, request.trailers)
            target = String(request.url.absoluteString.dropFirst("http://mock".count))
        }
    }

    typealias Reply = @Sendable (Seen) throws -> LoopbackResponse

    /// Generous, and still short of the suite's limit: a case that hangs fails with a name.
    static let patient = Timeouts(phases: .seconds(50), total: .seconds(55))

    let subject: Subject
    let transport: any Transport
    private let loopback: LoopbackServer?
    private let mock: MockTransport?

    /// `isFresh` asks for a transport of its own, where it has connections to keep.
    init(_ subject: Subject, isFresh: Bool = false, reply: @escaping Reply) throws {
        self.subject = subject
        guard subject == .mock else {
            loopback = try LoopbackServer { try reply(Seen($0)) }
            mock = nil
            transport = isFresh ? subject.freshTransport : subject.transport
            return
        }
        let mock = MockTransport()
        mock.on(nil, "/**") { try reply(Seen($0)).onMock }
        self.mock = mock
        loopback = nil
        transport = mock
    }

    init(_ subject: Subject, _ reply: LoopbackResponse, isFresh: Bool = false) throws {
        try self.init(subject, isFresh: isFresh) { _ in reply }
    }

    /// With a script of the mock's own in place of the response and its faults.
    init(_ subject: Subject, _ reply: LoopbackResponse, onMock script: MockResponse) throws {
        try self.init(subject, reply)
        mock?.on(.get, "/**", script)
    }

    func server() throws -> LoopbackServer { try #require(loopback) }

    /// Waits until so many calls have ended for the server before their response: their connections or streams.
    func waitForLoss(of count: Int = 1) async throws { try await server().wait { $0.clientCloses >= count } }

    func url(_ target: String) throws -> URL {
        if let loopback { return loopback.url(target) }
        return try #require(URL(string: "http://mock" + target))
    }

    var seen: [Seen] { loopback?.requests.map { Seen($0) } ?? mock?.requests.map { Seen($0) } ?? [] }

    func request(
        _ method: HTTPMethod = .get,
        _ target: String = "/",
        headers: Headers = [:],
        body: RequestBody = .empty,
        timeouts: Timeouts = patient,
        delivery: ResponseDelivery = .collect
    ) throws -> TransportRequest {
        TransportRequest(
            method: method,
            url: try url(target),
            headers: headers,
            body: body,
            timeouts: timeouts,
            delivery: delivery
        )
    }

    func send(
        _ method: HTTPMethod = .get,
        _ target: String = "/",
        headers: Headers = [:],
        body: RequestBody = .empty,
        timeouts: Timeouts = patient,
        delivery: ResponseDelivery = .collect
    ) async throws -> TransportResponse {
        try await transport.send(
            request(method, target, headers: headers, body: body, timeouts: timeouts, delivery: delivery)
        )
    }

    func outcome(_ request: TransportRequest) async -> Outcome { await Outcome { try await transport.send(request) } }

    func outcome(_ method: HTTPMethod = .get, body: RequestBody = .empty, timeouts: Timeouts = patient) async throws
        -> Outcome
    {
        await outcome(try request(method, body: body, timeouts: timeouts))
    }
}
