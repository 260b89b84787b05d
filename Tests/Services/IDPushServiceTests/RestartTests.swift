import IDPushService
import PushRegistration
import PushServersMock
import TestSupport

@Suite("IDPush, stores and restarts", .timeLimit(.minutes(10)), .paced)
struct RestartTests {
    @Test("the id that the original stored is used, after a relaunch too")
    func original() async throws {
        let store = InMemoryStore(["IDPush_PreviousPlayerID": " old-1\n"])
        let rig = Rig(store: store)
        let push = try rig.service()
        #expect(push.playerID == "old-1")
        #expect(try push.url(of: .subscribe).absoluteString == "http://127.0.0.1/api/v1/device/edit/old-1")
        #expect(try rig.service().playerID == "old-1")
        #expect(store.contents["IDPush_PreviousPlayerID"] == "old-1")
    }

    @Test("a blank stored id does not count")
    func blank() throws {
        #expect(try Rig(store: InMemoryStore(["IDPush_PreviousPlayerID": "  "])).service().playerID == nil)
    }

    @Test("another project does not adopt the id")
    func projects() async throws {
        let rig = Rig()
        _ = try await rig.registered()
        let other = try rig.service(project: "p2")
        #expect(other.playerID == nil)
        #expect(try await other.perform(.addDevice(token: Rig.token)).playerID == Rig.secondID)
        #expect(try rig.service().playerID == Rig.firstID)
        #expect(try rig.service(project: "p2").playerID == Rig.secondID)
    }

    @Test("a new version of the app registers again")
    func newVersion() async throws {
        var rig = Rig()
        _ = try await rig.registered()
        rig.device.appVersion = "1.5"
        _ = try await rig.service().perform(.addDevice(token: Rig.token))
        #expect(rig.mock.requests.count == 2)
        #expect(rig.server.devices.first?.parameters["game_version"] == "1.5")
    }

    @Test("a device forgotten by the server is registered again by flush, with choice and tags")
    func forgotten() async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.setTags(["a": 1, "b": 2, "c": nil])
        _ = try await push.unsubscribe()
        rig.server.forget(Rig.firstID)
        let error = await Rig.failure { _ = try await push.setTags(["b": 3]) }
        #expect(error == .deviceNotFound(playerID: Rig.firstID))
        #expect(push.playerID == nil)
        #expect(try rig.store.string(for: "IDPush_PreviousPlayerID") == nil)
        try await push.flush()
        let device = try #require(rig.server.devices.first)
        #expect(device.notificationTypes == -2)
        #expect(device.tags == ["a": "1", "b": "3"])
        #expect(push.playerID == device.playerID)
    }

    @Test("what the server refuses is not sent again; an opt-out is")
    func refusals() async throws {
        let (rig, push) = try await Rig.registered()
        rig.server.fail(.status(422), .status(422), .status(422))
        #expect(await Rig.failure { _ = try await push.setTags(["a": 1]) } != nil)
        #expect(await Rig.failure { _ = try await push.editDevice(["b": 1]) } != nil)
        #expect(!push.hasPending)
        #expect(await Rig.failure { _ = try await push.unsubscribe() } != nil)
        #expect(push.hasPending && push.isOptedOut)
        try await push.flush()
        #expect(rig.server.devices.first?.notificationTypes == -2)
    }

    @Test("nothing is sent before consent; it is sent after; withdrawn consent keeps notifications away")
    func consent() async throws {
        var rig = Rig()
        rig.requiresConsent = true
        let push = try rig.service()
        #expect(await Rig.failure { _ = try await push.perform(.addDevice(token: Rig.token)) } == .consentRequired)
        #expect(await Rig.failure { try await push.flush() } == .consentRequired)
        #expect(rig.mock.requests.isEmpty)
        let restarted = try rig.service()
        try await restarted.giveConsent().value
        #expect(restarted.playerID == Rig.firstID)
        _ = try await restarted.setTags(["a": 1])
        try await restarted.refuseConsent().value
        #expect(await Rig.failure { _ = try await restarted.setTags(["a": 2]) } == .consentRequired)
        #expect(!restarted.hasPending)
        try await restarted.flush()
        #expect(rig.mock.requests.count == 3)
    }

    @Test("a server failure is repeated by the client's policy, the same request with the same key")
    func retry() async throws {
        var rig = Rig()
        rig.retry = nil
        rig.server.fail(.status(500), .rateLimited(seconds: 5))
        let push = try rig.service()
        let call: Observer<IDPushReply> = push.perform(.addDevice(token: Rig.token))
        #expect(try await rig.clock.passing { try await call.value.playerID } == Rig.firstID)
        #expect(rig.mock.requests.count == 3)
        #expect(Set(rig.mock.requests.map(\.text)).count == 1)
        #expect(Set(rig.mock.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    static let stores: [@Sendable (String) -> any KeyValueStore] = [
        { FileStore(file: URL(filePath: NSTemporaryDirectory() + "/idpush-\($0).json")) },
        { UserDefaultsStore(suiteName: "idpush-\($0)") },
    ]

    @Test("every store keeps, replaces and removes, for the next instance too", arguments: stores)
    func keeps(_ make: @Sendable (String) -> any KeyValueStore) throws {
        let name = UUID().uuidString
        let store = make(name)
        #expect(try store.string(for: "a") == nil)
        try store.set("1", for: "a")
        try store.set("ü\n\"", for: "b")
        try store.set("2", for: "a")
        #expect(try make(name).string(for: "a") == "2")
        #expect(try make(name).string(for: "b") == "ü\n\"")
        try store.set(nil, for: "a")
        #expect(try make(name).string(for: "a") == nil)
        UserDefaults.standard.removePersistentDomain(forName: "idpush-\(name)")
    }

    @Test("the original finds the id in UserDefaults as a string, and we find the one it wrote")
    func userDefaults() async throws {
        let suite = "idpush-\(UUID().uuidString)"
        let original = try #require(UserDefaults(suiteName: suite))
        defer { original.removePersistentDomain(forName: suite) }
        let rig = Rig(store: UserDefaultsStore(suiteName: suite))
        _ = try await rig.registered()
        #expect(original.string(forKey: "IDPush_PreviousPlayerID") == Rig.firstID)
        original.set("from-the-original", forKey: "IDPush_PreviousPlayerID")
        original.synchronize()
        #expect(try rig.service().playerID == "from-the-original")
    }
}

@Suite("What version 0.2 has stored of a device at IDPush", .timeLimit(.minutes(10)), .paced)
struct EarlierStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("idpush") }

    @Test("is read, sent where the network was away, and continued")
    func continues() async throws {
        var rig = Rig()
        // The server knows the device.
        _ = try await rig.registered()
        rig.store = FileStore(file: fixture["store.json"])
        let push = try rig.service()
        #expect(push.playerID == Rig.firstID)
        #expect(push.hasPending && push.isOptedOut)
        try await push.flush()
        let device = try #require(rig.server.devices.first)
        #expect(device.notificationTypes == -2)
        #expect(device.tags == ["b": "2"])
        #expect(rig.server.devices.count == 1)
        _ = try await push.setTags(["c": 3])
        let next = try rig.service()
        #expect(next.playerID == Rig.firstID && !next.hasPending && next.isOptedOut)
        #expect(rig.server.devices.first?.tags["c"] == "3")
    }
}
