import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitMock
import Foundation
import PushServersMock

/// Where the journey happens: the three servers behind a real socket, a mock transport, or another server.
final class World: Sendable {
    /// How the client reaches the servers.
    enum Wire: Sendable {
        case loopback
        case mock
        case remote(URL)
    }

    static let project = "5f0c1d2e3a4b5c6d7e8f90a1"
    static let user = "u-1"
    static let otherUser = "u-2"

    let idpush = IDPushServer(projects: [World.project])
    let kore = KorePushServer(users: [World.user: "fresh-token", World.otherUser: "other-token"])
    let alarms = AlarmServer()
    let wire: Wire
    /// The step that gets wrong responses, to check that the journey notices.
    let brokenStep: Int?
    let step = Shared(0)

    private let recorded = Shared<[Recorded]>([])
    private let isOffline = Shared(false)
    private let server = Shared<LoopbackServer?>(nil)

    init(_ wire: Wire, brokenStep: Int? = nil) throws {
        self.wire = wire
        self.brokenStep = brokenStep
        if case .loopback = wire { try listen() }
    }

    /// Whether responses can be scripted; your own server responds as it likes.
    var isEmbedded: Bool { if case .remote = wire { false } else { true } }

    var base: URL {
        switch wire {
        case .loopback: server.value?.url ?? URL(fileURLWithPath: "/")
        case .mock: URL(string: "http://127.0.0.1") ?? URL(fileURLWithPath: "/")
        case .remote(let url): url
        }
    }

    /// A client of this world; retries wait a hundredth of an app's time.
    var client: Client {
        let retry = RetryPolicy(limit: 2, backoff: .exponential(base: .milliseconds(5), cap: .milliseconds(50)))
        return Client(transport: transport).retry(retry)
    }

    var requests: [Recorded] { recorded.value }

    /// Takes the network away: the port refuses connections, the mock fails.
    func goOffline() {
        isOffline.value = true
        server.change { server in
            server?.stop()
            server = nil
        }
    }

    /// Brings the network back; the servers remember their state.
    func goOnline() throws {
        isOffline.value = false
        if case .loopback = wire { try listen() }
    }

    private func listen() throws {
        server.value = try LoopbackServer { [weak self] request in
            self?.reply(
                request.method,
                request.target,
                request.headers,
                String(decoding: request.body, as: UTF8.self)
            ) ?? .status(503)
        }
    }

    private var transport: any Transport {
        switch wire {
        case .loopback:
            return Client.shared.transport
        case .mock:
            let mock = MockTransport()
            mock.on(nil, "/**") { [weak self] request in
                guard let self, !isOffline.value else { return .failure(.cannotConnect) }
                let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
                return reply(request.method, request.path + query, request.headers, request.text).onMock
            }
            return mock
        case .remote:
            return RecordingTransport(base: Client.shared.transport) { [weak self] request in
                self?.recorded.change { $0.append(request) }
            }
        }
    }

    /// What the servers respond, and what the recorder keeps of the request.
    private func reply(_ method: CoreNetKit.HTTPMethod, _ target: String, _ headers: Headers, _ body: String)
        -> LoopbackResponse
    {
        recorded.change {
            $0.append(Recorded(method: method.rawValue, target: target, headers: headers, body: body))
        }
        if step.value == brokenStep { return .text("I'm a teapot", status: 418) }
        let path = String(target.prefix { $0 != "?" })
        if path.contains("/device/") {
            return idpush.respond(method: method, path: path, headers: headers, body: body)
        }
        if path.contains("/users/") {
            return kore.respond(method: method, target: target, headers: headers, body: body)
        }
        let query = target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        let parameters = Recorded.fields(of: method == .get ? query : body)
        return alarms.respond(method: method, path: path, headers: headers, parameters: parameters)
    }
}

extension LoopbackResponse {
    /// The same response from a mock transport.
    fileprivate var onMock: MockResponse {
        for fault in faults {
            if case .stall = fault { return .stall }
            return .failure(.connectionLost)
        }
        guard case .text(let text) = body else { return .status(status) }
        var reply = MockResponse.text(text, status: status)
        for field in headers { reply = reply.header(field.name, field.value) }
        return reply
    }
}

/// Keeps the requests that go to your own server.
private struct RecordingTransport: Transport {
    let base: any Transport
    let record: @Sendable (Recorded) -> Void
    var capabilities: TransportCapabilities { base.capabilities }

    func clientIdentity(for url: URL) -> String? { base.clientIdentity(for: url) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        record(
            Recorded(
                method: request.method.rawValue,
                target: request.url.path(percentEncoded: true) + query,
                headers: request.headers,
                body: String(decoding: request.body.data ?? Data(), as: UTF8.self)
            )
        )
        return try await base.send(request)
    }
}
