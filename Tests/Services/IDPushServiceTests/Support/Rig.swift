import CoreNetKitOutbox
import FileModel
import IDPushService
import PushDoubles
import PushServersMock
import TestSupport

/// A service, the server it talks to over a mock transport, and its store.
struct Rig: Sendable {
    static let token = "a1b2c3d4e5f60718"
    static let other = "00ff00ff00ff00ff"
    static let device = DeviceInfo(model: "iPhone15,2", systemVersion: "17.5", appVersion: "1.4")
    /// What each request says, in the order of names.
    static let common = "device_model=iPhone15%2C2&device_os=17.5&device_type=0&game_version=1.4"
    static let firstID = "ffffb794-ba37-11e3-8077-000000000001"
    static let secondID = "ffffb794-ba37-11e3-8077-000000000002"

    let server = IDPushServer(projects: ["p1", "p2"])
    let mock = MockTransport()
    let clock = ManualClock()
    /// Lets requests through to the server.
    let gate = LoopbackGate(isOpen: true)
    var store: any KeyValueStore
    /// The process that sends; the transport gives up when it is over.
    var life = Life()
    var device = Self.device
    var environment = PushEnvironment.development
    var requiresConsent = false
    var retry: RetryPolicy? = RetryPolicy(limit: 0)

    /// An outbox that nobody delivers, so that every call is an attempt of its job; Kore's tests have none.
    var outbox: Outbox? = Outbox(files: ModelFiles(), folder: "/box", clock: SkippingClock())

    init(store: any KeyValueStore = InMemoryStore()) { self.store = store }

    /// A new instance on the same store, as after a restart.
    func service(project: String = "p1") throws -> IDPush {
        mock.on(nil, "/**") { [server, gate, life] request in
            try await gate.wait()
            return life.exchange { server.reply(to: request) }
        }
        return try IDPush(
            IDPushConfiguration(
                projectID: project,
                environment: environment,
                baseURL: URL(string: "http://127.0.0.1/api/v1/"),
                device: device,
                requiresConsent: requiresConsent
            ),
            store: store,
            client: Client(transport: mock, clock: CallClock(clock)).with(retry, at: .retry),
            outbox: outbox
        )
    }

    /// A service of another project, with a store of its own and without an outbox.
    static func service(_ client: Client) throws -> IDPush {
        try IDPush(
            IDPushConfiguration(projectID: "p", baseURL: URL(string: "http://localhost"), device: device),
            store: InMemoryStore(),
            client: client
        )
    }

    static func registered() async throws -> (Rig, IDPush) {
        let rig = Rig()
        return (rig, try await rig.registered())
    }

    func registered() async throws -> IDPush {
        let push = try service()
        _ = try await push.perform(.addDevice(token: Self.token))
        return push
    }

    static func failure(of work: () async throws -> Void) async -> IDPushError? {
        await TestSupport.failure(IDPushError.self, of: work)
    }
}
