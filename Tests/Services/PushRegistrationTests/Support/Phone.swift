import CoreNetKitOutbox
import FileModel
import IDPushService
import KorePushService
import PushDoubles
import PushServersMock
import Synchronization
import TestSupport

/// A device: what it stores across restarts, and the servers that it uses.
final class Phone: Sendable {
    static let token = "a1b2c3d4"

    let idpush = IDPushServer(projects: ["p1"])
    let kore = KorePushServer(users: ["alice": "t-alice", "bob": "t-bob"])
    let store: InMemoryStore
    let isOnline = Atomic(true)
    /// The users whose sessions the app still has.
    let sessions = Mutex<Set<String>>(["alice", "bob"])
    /// What the servers were asked, as `+alice` and `-alice` for Kore, and tags for IDPush.
    let requests = Recorder<String>()
    /// The files of the outbox, as the last process left them.
    private let disk = Mutex(ModelFiles())

    init(store: InMemoryStore = InMemoryStore()) { self.store = store }

    /// A device that IDPush knows, and the process that registered it.
    static func registered() async throws -> (Phone, AppProcess) {
        let phone = Phone()
        let app = try phone.launch()
        _ = try await app.push.perform(.addDevice(token: token))
        return (phone, app)
    }

    var files: ModelFiles {
        get { disk.withLock { $0 } }
        set { disk.withLock { $0 = newValue } }
    }

    func set(online: Bool) { isOnline.store(online, ordering: .sequentiallyConsistent) }

    /// A process of the app; the one before it is killed, and it will be after so many steps (writes to the store,
    /// requests and responses) or within a call of the file system.
    func launch(
        killedAfter steps: Int = .max,
        atFileCall call: Int? = nil,
        hasOutbox: Bool = true,
        requiresConsent: Bool = false
    ) throws -> AppProcess {
        files = files.afterKill()
        if let call { files.stop(atCall: call) }
        return try AppProcess(self, files, steps: steps, hasOutbox, requiresConsent)
    }

    /// What IDPush did, once for each request: `+`, `-` or nothing for the choice, and the tags.
    var carriedOut: [String] {
        idpush.exchanges.filter { $0.status == 200 && !$0.isRepeated && !$0.path.hasSuffix("add") }.map { exchange in
            switch exchange.form["notification_types"] {
            case "1": "+"
            case "-2": "-"
            default: exchange.form["tags"] ?? "?"
            }
        }
    }

    var subscribed: [String] { ["alice", "bob"].filter { !kore.devices(of: $0).isEmpty } }

    var requestCount: Int { idpush.exchanges.count + kore.exchanges.count }
}

/// A process that may be killed: its store, its outbox and its network end at the same moment.
final class AppProcess: Sendable {
    let phone: Phone
    let files: ModelFiles
    let outbox: Outbox
    let client: Client
    let push: IDPush
    let identity: PushIdentity
    private let clock = SkippingClock()
    private let life: Life

    fileprivate init(
        _ phone: Phone,
        _ files: ModelFiles,
        steps: Int,
        _ hasOutbox: Bool,
        _ requiresConsent: Bool
    ) throws {
        let life = Life(steps: steps, files: files)
        (self.phone, self.files, self.life) = (phone, files, life)
        var options = Outbox.Options()
        options.pollInterval = nil
        let outbox = Outbox(files: files, folder: "/box", options: options, clock: clock) { [clock] in clock.date }
        let mock = MockTransport()
        mock.on(nil, "/**") { request in
            guard phone.isOnline.load(ordering: .sequentiallyConsistent), (try? life.step()) != nil else {
                return .failure(.cannotConnect)
            }
            let reply = phone.reply(request)
            return (try? life.step()) == nil ? .failure(.connectionLost) : reply
        }
        let client = Client(transport: mock).retry(RetryPolicy(limit: 0))
        self.outbox = outbox
        self.client = client
        (push, identity) = try pushServices(
            MortalStore(phone.store, life),
            client,
            hasOutbox ? outbox : nil,
            requiresConsent: requiresConsent
        ) { user in phone.sessions.withLock { $0.contains(user) } }
    }

    var isOver: Bool { life.isOver }

    /// Delivers the outbox until nothing is left that can be sent automatically, or no server is there.
    func deliver() async {
        let task = Task { try? await outbox.drain(with: client) }
        clock.onSleep { [life, phone] in
            if life.isOver || !phone.isOnline.load(ordering: .sequentiallyConsistent) { task.cancel() }
        }
        _ = await task.value
        clock.onSleep(nil)
    }
}

/// The two push services of an app, and the identity that they belong to.
func pushServices(
    _ store: any KeyValueStore,
    _ client: Client,
    _ outbox: Outbox?,
    requiresConsent: Bool = false,
    hasSession: @escaping @Sendable (String) -> Bool = { _ in true }
) throws -> (IDPush, PushIdentity) {
    let server = URL(string: "http://127.0.0.1") ?? URL(filePath: "/")
    let push = try IDPush(
        IDPushConfiguration(
            projectID: "p1",
            baseURL: server.appending(path: "api/v1/"),
            device: DeviceInfo(model: "m", systemVersion: "1", appVersion: "1"),
            requiresConsent: requiresConsent
        ),
        store: store,
        client: client,
        outbox: outbox
    )
    let member = KoreMember(token: { try? KoreDeviceToken(hex: Phone.token) }) { user in
        guard hasSession(user) else { return nil }
        return try KorePush(
            session: KoreSession(userID: user, accessToken: "t-\(user)"),
            configuration: KoreConfiguration(server: server, retry: nil),
            store: store,
            client: client,
            outbox: outbox
        )
    }
    return (push, PushIdentity(store: store, members: [push, member], outbox: outbox))
}

extension Phone {
    fileprivate func reply(_ request: MockRequest) -> MockResponse {
        if request.path.hasPrefix("/api/users") {
            requests.record((request.method == .delete ? "-" : "+") + request.path.split(separator: "/")[2])
            return kore.reply(to: request)
        }
        let response = idpush.reply(to: request)
        requests.record(idpush.exchanges.last?.form["tags"] ?? "device")
        return response
    }
}
