import KorePushService
import PushServersMock
import TestSupport

@Suite("Faults of Kore", .timeLimit(.minutes(10)), .paced)
struct KoreFaultTests {
    private let world: KoreWorld
    private let push: KorePush

    init() throws { (world, push) = try KoreWorld.withPush() }

    @Test(
        "a 404 page is not an unsubscription: only the server's own code is",
        arguments: [
            LoopbackResponse(status: 404, headers: ["Content-Type": "text/html"], body: .text("<html>404</html>")),
            .json(#"{"error":{"code":"USER_NOT_FOUND"}}"#, status: 404), .json("{}", status: 404),
        ] as [LoopbackResponse]
    )
    func gateway404(_ response: LoopbackResponse) async throws {
        try await push.subscribe(.first)
        world.server.on(.delete, "/api/users/*/unsubscribe", response)
        #expect(await koreFailure { try await push.unsubscribe() }?.code == .notFound)
        #expect(try await push.state().isComplete == false)
        world.kore.serve(on: world.server)
        try await world.push().flush()
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }

    @Test("an unsubscription that was refused once is not given up", arguments: [400, 422])
    func refusedUnsubscription(_ status: Int) async throws {
        try await push.subscribe(.first)
        world.kore.fail(.status(status))
        #expect(await koreFailure { try await push.unsubscribe() }?.code == .badRequest)
        try await world.push().flush()
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }

    @Test("servers on two ports have their own records, and that of an earlier version is found")
    func ports() async throws {
        let other = try KoreWorld()
        try await world.push().subscribe(.first)
        let push = try other.push(store: world.store)
        #expect(try await push.state().token == nil)
        let old = InMemoryStore([
            "KorePush.v1.127.0.0.1.u-1": #"{"isSubscribed":true,"leaving":["00ff"],"token":"a1b2c3d4"}"#
        ])
        let upgraded = try other.push(store: old)
        let state = try await upgraded.state()
        #expect(state.token == .first && state.isSubscribed && !state.isComplete)
        try await upgraded.flush()
        #expect(other.kore.exchanges.map(\.requestFormat) == [.deleteJSON])
        #expect(old.contents.keys.allSatisfy { $0.hasPrefix("KorePush.v2.") })
    }

    @Test("a device clock that is ahead does not keep a device subscribed")
    func fastClock() async throws {
        try await world.push().subscribe(.first)
        try await world.push(expires: Date(timeIntervalSince1970: 0)).unsubscribe()
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }

    @Test(
        "tokens to be unsubscribed stand whatever happened to the record",
        arguments: [nil, "", "?", "{}", #"{"leaving":5}"#, #"{"token":[],"isSubscribed":"x"}"#, #"{"v":9,"data":{}}"#]
    )
    func damagedRecord(text: String?) async throws {
        try await world.push().subscribe(.first)
        let offline = Client(transport: FailingTransport(.cannotConnect))
        _ = await koreFailure { try await world.push(client: offline).unsubscribe() }
        world.store.set(text, for: "KorePush.v2.127.0.0.1:\(world.server.port).u-1")
        try await world.push().flush()
        #expect(world.kore.devices(of: "u-1").isEmpty)
    }

    @Test("a missing field does not affect the others")
    func missingField() async throws {
        let key = "KorePush.v2.127.0.0.1:\(world.server.port).u-1"
        world.store.set(#"{"token":"a1b2c3d4"}"#, for: key)
        #expect(try await world.push().state().token == .first)
        world.store.set(#"{"leaving":["00ff",7,"aa00"]}"#, for: key)
        _ = await koreFailure { try await world.push().flush() }
        #expect(world.kore.exchanges.compactMap { $0.parameters["deviceId"] } == ["00ff", "aa00"])
    }

    @Test("an observer ends once: a cancel after its end is silent")
    func endsOnce() async throws {
        let observer: Observer<KoreSubscription> = try world.push().subscribe(.first)
        let events = await ObserverRecorder.events(afterEndOf: observer)
        #expect(events == ["\(try await observer.value)", "defer"])
    }
}
