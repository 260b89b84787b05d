import KorePushService
import PushServersMock
import TestSupport

/// "Best Practices" of the document.
@Suite("Kore: device token management", .timeLimit(.minutes(10)), .paced)
struct KorePracticeTests {
    private let world: KoreWorld
    private let push: KorePush

    init() throws { (world, push) = try KoreWorld.withPush() }

    @Test("the device token is kept in the store, under one key for each user and server")
    func storage() async throws {
        let keys = InMemoryStore()
        let push = try world.push(store: keys)
        try await push.subscribe(.first)
        let values = keys.contents
        #expect(Array(values.keys) == ["KorePush.v2.127.0.0.1:\(world.server.port).u-1"])
        #expect(values.values.contains { $0.contains("a1b2c3d4") })
        #expect(values.values.allSatisfy { !$0.contains("good") })
        try await push.unsubscribe()
        #expect(keys.contents.isEmpty)
    }

    @Test("a new token is subscribed, then the old one unsubscribed, also after a restart")
    func tokenChange() async throws {
        try await world.push().subscribe(.first)
        try await world.push(store: InMemoryStore(world.store.contents)).subscribe(.second)
        #expect(world.kore.devices(of: "u-1") == [KoreDeviceToken.second.hex])
        #expect(world.kore.exchanges.map(\.requestFormat) == [.json, .json, .deleteJSON])
        #expect(world.kore.exchanges.last?.parameters["deviceId"] == KoreDeviceToken.first.hex)
    }

    @Test("an old token that could not be unsubscribed is not an error, and is unsubscribed by the next flush")
    func oldTokenLater() async throws {
        try await world.push().subscribe(.first)
        let push = try world.push()
        world.server.on(.delete, "/api/users/*/unsubscribe", .status(500))
        try await push.subscribe(.second)
        #expect(try await push.state().isSubscribed)
        #expect(try await push.state().isComplete == false)
        world.kore.serve(on: world.server)
        try await world.push().flush()
        #expect(world.kore.devices(of: "u-1") == [KoreDeviceToken.second.hex])
        #expect(try await push.state().isComplete)
        let count = world.server.requests.count
        try await push.flush()
        #expect(world.server.requests.count == count)
    }

    @Test("an old token that the server refuses to release does not block the others")
    func manyOldTokens() async throws {
        world.server.on(.delete, "/api/users/*/unsubscribe", .status(500))
        for hex in ["01", "02", "03"] { try await push.subscribe(.token(hex)) }
        world.kore.serve(on: world.server)
        world.kore.fail(.status(403))
        #expect(await koreFailure { try await push.flush() }?.code == .forbidden)
        #expect(world.kore.devices(of: "u-1") == ["01", "03"])
        try await push.flush()
        #expect(world.kore.devices(of: "u-1") == ["03"])
    }

    @Test("a released service ends its calls")
    func lifetime() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        func start() throws -> Observer<KoreSubscription> {
            try world.push(store: MortalStore { end.yield() }).subscribe(.first)
        }
        let observer = try start()
        #expect(try await observer.value.token == .first)
        for await _ in ends { break }
    }

    @Test("the old token stays until the new one is subscribed")
    func oldTokenStays() async throws {
        try await push.subscribe(.first)
        world.kore.fail(.status(500))
        _ = await koreFailure { try await push.subscribe(.second) }
        #expect(world.kore.devices(of: "u-1") == [KoreDeviceToken.first.hex])
        try await push.flush()
        #expect(world.kore.devices(of: "u-1") == [KoreDeviceToken.second.hex])
    }

    @Test("an unsubscription while offline is sent once after a restart")
    func offlineLogout() async throws {
        try await world.push().subscribe(.first)
        let offline = Client(transport: FailingTransport(.cannotConnect))
        #expect(await koreFailure { try await world.push(client: offline).unsubscribe() }?.code == .serverUnavailable)
        // A store of its own, as a process after a restart has: nothing is shared in memory.
        let push = try world.push(store: InMemoryStore(world.store.contents))
        #expect(try await push.state().token == nil)
        try await push.flush()
        try await push.flush()
        #expect(world.kore.devices(of: "u-1").isEmpty)
        #expect(world.server.requests.count == 2)
    }

    @Test("a device that the server will never accept is not sent again")
    func permanentRefusal() async throws {
        world.kore.fail(.status(400, code: "INVALID_DEVICE"))
        #expect(await koreFailure { try await push.subscribe(.first) }?.serverCode == "INVALID_DEVICE")
        try await push.flush()
        #expect(world.server.requests.count == 1)
    }

    @Test("users do not affect each other's changes")
    func users() async throws {
        try await world.push().subscribe(.first)
        let offline = Client(transport: FailingTransport(.cannotConnect))
        _ = await koreFailure { try await world.push(client: offline).unsubscribe() }
        let other = try world.push(user: "a/b ü", token: "slash")
        try await other.subscribe(.first)
        try await other.flush()
        #expect(world.kore.devices(of: "u-1") == [KoreDeviceToken.first.hex])
        try await world.push().flush()
        #expect(world.kore.devices(of: "u-1").isEmpty)
        #expect(world.kore.devices(of: "a/b ü") == [KoreDeviceToken.first.hex])
    }

    @Test("calls keep their order, and the last change wins", arguments: 1...10)
    func toggles(_ round: Int) async throws {
        let calls: [Observer<Void>] = (0..<round).map { index in
            index.isMultiple(of: 2) ? push.subscribe(.first).map { _ in } : push.unsubscribe(.first)
        }
        for (index, call) in calls.enumerated() {
            let error = await koreFailure { try await call.value }
            #expect(error == nil || (error?.code == .superseded && index < round - 1))
        }
        try await push.flush()
        #expect(world.kore.devices(of: "u-1").isEmpty == round.isMultiple(of: 2))
        #expect(try await push.state().isComplete)
    }

    @Test("a failing secure store is an error, and nothing is sent", arguments: [true, false])
    func brokenStore(_ isReadable: Bool) async throws {
        struct Locked: Error {}
        struct BrokenStore: KeyValueStore {
            let isReadable: Bool
            func string(for key: String) throws -> String? { if isReadable { nil } else { throw Locked() } }
            func set(_ value: String?, for key: String) throws { throw Locked() }
        }
        let push = try world.push(store: BrokenStore(isReadable: isReadable))
        let error = await koreFailure { try await push.subscribe(.first) }
        #expect(error?.code == .storeFailed)
        #expect(error?.cause is Locked)
        #expect(await koreFailure { try await push.unsubscribe(.first) }?.code == .storeFailed)
        #expect(world.server.requests.isEmpty)
        let tree = try await world.sink.waitForLogTrees(1)[0]
        #expect("\(tree)".contains("storeFailed"))
    }
}

private final class MortalStore: KeyValueStore {
    private let end: @Sendable () -> Void
    init(_ end: @escaping @Sendable () -> Void) { self.end = end }
    deinit { end() }
    func string(for key: String) -> String? {
        key.hasSuffix("u-1") ? #"{"isSubscribed":false,"leaving":[],"token":"a1b2c3d4"}"# : nil
    }
    func set(_ value: String?, for key: String) {}
}
