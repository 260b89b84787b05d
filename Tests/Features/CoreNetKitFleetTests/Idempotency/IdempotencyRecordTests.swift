import TestSupport

@testable import CoreNetKitFleet

@Suite("Responses to idempotency keys, kept for all processes", .timeLimit(.minutes(10)), .paced)
struct IdempotencyRecordTests {
    /// A server that counts, and processes that share a store.
    final class World: Sendable {
        let sent = Recorder<String>()
        let events = Recorder<FleetEvent>()
        let store = LocalStore()
        let sealing: SealingKeys
        private let server: @Sendable (TransportRequest) async throws -> TransportResponse

        init(_ server: @escaping @Sendable (TransportRequest) async throws -> TransportResponse) throws {
            sealing = SealingKeys(try .random(id: "a"))
            self.server = server
        }

        func records(
            in store: (any SharedStore)? = nil,
            named name: String = "test",
            keepFor: Duration = .seconds(60)
        ) -> IdempotencyRecords {
            IdempotencyRecords(
                in: store ?? self.store,
                named: name,
                sealing: sealing,
                keepFor: keepFor,
                events: { [events] in events.record($0) }
            )
        }

        func call(
            _ key: String?,
            body: String = "body",
            user: String? = nil,
            deadline: Duration? = nil,
            _ records: IdempotencyRecords? = nil,
            host: String = host
        ) async throws -> Response<String> {
            let (sent, server) = (sent, server)
            let transport = ClosureTransport { request in
                sent.record(request.headers["Idempotency-Key"] ?? "none")
                return try await server(request)
            }
            let client = Client(transport: transport).idempotencyRecords(records ?? self.records())
            var builder = UrlChainsBuilder<String>(client: client).route(.post, host).set(deadline: deadline)
            if let key { builder = builder.set(headers: ["Idempotency-Key": key]) }
            if let user { builder = builder.set(partition: Partition(user)) }
            let chain: Chain<Data, Response<String>> = builder.build()
            return try await chain.process(Data(body.utf8))
        }
    }

    private let world: World

    init() throws { world = try World { Self.created($0) } }

    static func created(_ request: TransportRequest) -> TransportResponse {
        .init(status: 201, headers: ["X-A": "1", "X-B": "ü"], body: .bytes(Data("made".utf8)), url: request.url)
    }

    @Test("one process sends a key, the others get its response unchanged")
    func once() async throws {
        for _ in 0..<3 {
            let response = try await world.call("job 1")
            #expect(response.model == "made")
            #expect(response.status == 201)
            #expect(response.headers["X-B"] == "ü")
        }
        #expect(world.sent.values == ["job 1"])
    }

    @Test("a response is written once, by the process that received it")
    func written() async throws {
        let store = WatchedStore(world.store)
        for _ in 0..<2 {
            for job in 0..<20 { _ = try await world.call("job \(job)", world.records(in: store)) }
        }
        #expect(store.count(of: .write) == 20 && store.count(of: .lease) == 20)
    }

    @Test("a request whose response is a stream is sent each time, and nothing is said of it")
    func streamed() async throws {
        let transport = ClosureTransport { request in
            world.sent.record(request.headers["Idempotency-Key"] ?? "none")
            return .init(status: 200, body: .stream(ResponseStream(next: { nil }, cancel: {})), url: request.url)
        }
        let builder = UrlChainsBuilder<String>(client: Client(transport: transport).idempotencyRecords(world.records()))
            .route(.post, host).set(headers: ["Idempotency-Key": "a"])
        let chain: Chain<Void, ResponseStream> = builder.loadStream()
        for _ in 0..<2 { try await chain.process().close() }
        #expect(world.sent.values == ["a", "a"] && world.events.values.isEmpty)
    }

    /// A world with a call that waits for its server.
    private static func held() async throws -> (world: World, first: Task<String, any Error>, stop: Stop) {
        let stop = Stop()
        let world = try World { request in
            await stop.pass()
            return created(request)
        }
        let first = Task { try await world.call("job 1").model }
        await stop.isReached()
        return (world, first, stop)
    }

    @Test("a process that comes while it is sent waits for the response")
    func waits() async throws {
        let (world, first, stop) = try await Self.held()
        let store = WatchedStore(world.store)
        let others = (0..<4).map { _ in Task { try await world.call("job 1", world.records(in: store)).model } }
        await until { store.count(of: .lease) >= 4 }
        stop.open()
        for task in [first] + others { #expect(try await task.value == "made") }
        #expect(world.sent.values.count == 1)
    }

    @Test("a process that cannot wait as long fails at its deadline")
    func deadline() async throws {
        let (world, first, stop) = try await Self.held()
        let error = await failure { _ = try await world.call("job 1", deadline: .milliseconds(50)) }
        #expect(error?.code == .deadlineExceeded)
        stop.open()
        #expect(try await first.value == "made")
    }

    @Test("other keys, users, servers and names are sent, as are requests without a key")
    func apart() async throws {
        for _ in 0..<2 {
            _ = try await world.call("a")
            _ = try await world.call("b")
            _ = try await world.call("a", user: "ann")
            _ = try await world.call("a", world.records(named: "other"))
            _ = try await world.call("a", host: "http://other.test")
            _ = try await world.call(nil)
        }
        #expect(world.sent.values.filter { $0 != "none" } == ["a", "b", "a", "a", "a"])
        #expect(world.sent.values.filter { $0 == "none" }.count == 2)
    }

    @Test("a key that another request has used is refused")
    func reused() async throws {
        _ = try await world.call("a", body: "one")
        #expect(await failure { _ = try await world.call("a", body: "two") }?.code == .invalidRequest)
        #expect(world.sent.values.count == 1)
    }

    @Test("an error is not kept: the next process sends", arguments: [400, 409, 500])
    func errors(status: Int) async throws {
        let count = Locked(0)
        let world = try World { request in
            let number = count.next()
            return number == 1 ? .init(status: status, url: request.url) : Self.created(request)
        }
        #expect(await failure { _ = try await world.call("a") }?.status == status)
        #expect(try await world.call("a").model == "made")
        #expect(try await world.call("a").model == "made")
        #expect(world.sent.values.count == 2)
    }

    @Test("content of up to 64 KiB is kept, larger content is not, nor a part of it", arguments: [65_536, 65_537])
    func large(size: Int) async throws {
        let text = String(repeating: "x", count: size)
        let world = try World { .init(status: 200, body: .bytes(Data(text.utf8)), url: $0.url) }
        for _ in 0..<2 { #expect(try await world.call("a").model == text) }
        #expect(world.sent.values.count == (size > 65_536 ? 2 : 1))
        let message = "the response is not kept for other processes: its content has 65537 bytes of at most 65536"
        #expect(world.events.values.map(\.message) == (size > 65_536 ? [message, message] : []))
        #expect(world.events.values.allSatisfy { $0.kind == .notStored })
    }

    @Test("while the store is away every process sends, and says so")
    func away() async throws {
        let store = WatchedStore(world.store)
        store.fail()
        for _ in 0..<2 { #expect(try await world.call("a", world.records(in: store)).model == "made") }
        #expect(world.sent.values.count == 2)
        #expect(world.events.values.map(\.kind) == [.fallback, .fallback])
        store.onCall { (step, _) throws(SharedStoreError) in
            if step == .write { throw SharedStoreError(.timedOut, "the test says so") }
        }
        #expect(try await world.call("a", world.records(in: store)).model == "made")
        #expect(world.events.values.last?.kind == .notStored)
    }

    @Test("a cancelled call leaves its place to the next one")
    func cancelled() async throws {
        let (began, count) = (Signal(), Locked(0))
        let world = try World { request in
            let number = count.next()
            began.signal()
            if number == 1 { try await ContinuousClock().sleep(until: .now + .seconds(600)) }
            return Self.created(request)
        }
        let first = Task { try await world.call("a").model }
        await began.wait()
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try await world.call("a").model == "made")
    }

    @Test("with invalid settings fail each call before anything is sent")
    func settings() async throws {
        for records in [world.records(named: ""), world.records(keepFor: .zero)] {
            #expect(await failure { _ = try await world.call("a", records) }?.code == .invalidChain)
        }
        #expect(world.sent.values.isEmpty)
    }

    @Test("a response that may be incomplete is not kept, and that is said")
    func incomplete() async throws {
        let world = try World { request in
            var response = TransportResponse(status: 200, body: .bytes(Data("xx".utf8)), url: request.url)
            response.isDelimited = false
            return response
        }
        _ = await failure { _ = try await world.call("a") }
        let message = "the response is not kept for other processes: its content may be incomplete"
        #expect(world.events.values.map(\.message) == [message])
        #expect(world.events.values.map(\.kind) == [.notStored])
    }

    @Test("a response that is none of success is told of with its status", arguments: [199, 300, 409])
    func status(_ status: Int) throws {
        let url = try #require(URL(string: host))
        let response = TransportResponse(status: status, body: .bytes(Data("no".utf8)), url: url)
        #expect(StoredResponse(response, "print") == nil)
        #expect(StoredResponse.reasonNotStored(response) == "its status is \(status)")
    }
}
