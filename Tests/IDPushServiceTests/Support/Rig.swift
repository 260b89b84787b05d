import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import Foundation
import IDPushService
import PushServersMock

/// A service, the server it talks to over a mock transport, and its store.
struct Rig: Sendable {
    static let token = "a1b2c3d4e5f60718"
    static let other = "00ff00ff00ff00ff"
    static let device = DeviceInfo(model: "iPhone15,2", systemVersion: "17.5", appVersion: "1.4")
    /// What each request says, in the order of names.
    static let common = "device_model=iPhone15%2C2&device_os=17.5&device_type=0&game_version=1.4"
    static let firstID = "ffffb794-ba37-11e3-8077-000000000001"

    let server = IDPushServer(projects: ["p1", "p2"])
    let mock = MockTransport()
    var store: any KeyValueStore = InMemoryStore()
    var environment = PushEnvironment.development
    var requiresConsent = false
    var policies = Policies(retry: RetryPolicy(limit: 0))

    init(store: any KeyValueStore = InMemoryStore()) {
        self.store = store
        mock.on(nil, "/**") { [server] request in Self.answer(request, from: server) }
    }

    /// A new instance on the same store, as after a restart.
    func service(project: String = "p1") throws -> IDPush {
        try IDPush(
            IDPushConfiguration(
                projectID: project,
                environment: environment,
                baseURL: URL(string: "http://127.0.0.1/api/v1/"),
                device: Self.device,
                requiresConsent: requiresConsent
            ),
            store: store,
            client: Client(transport: mock, policies: policies)
        )
    }

    /// A service whose device is registered.
    func registered() async throws -> IDPush {
        let push = try service()
        _ = try await push.perform(.addDevice(token: Self.token))
        return push
    }

    private static func answer(_ request: MockRequest, from server: IDPushServer) -> MockAnswer {
        let response = server.respond(
            method: request.method,
            path: request.path,
            headers: request.headers,
            body: request.text
        )
        if !response.faults.isEmpty { return .failure(.connectionLost) }
        guard case .text(let text) = response.body else { return .status(response.status) }
        var answer = MockAnswer.text(text, status: response.status)
        for field in response.headers { answer = answer.header(field.name, field.value) }
        return answer
    }
}

extension MockTransport {
    /// Method, path and body of every request.
    var lines: [String] { requests.map { "\($0.method) \($0.path) \($0.text)" } }
}
