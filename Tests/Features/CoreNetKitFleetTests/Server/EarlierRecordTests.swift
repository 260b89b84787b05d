import CoreNetKitCache
import TestPrograms
import TestSupport

@testable import CoreNetKitFleet

@Suite("What version 0.2 has in a store that processes share", .timeLimit(.minutes(10)), .paced)
struct EarlierRecordTests {
    private static let date = Date(timeIntervalSince1970: 1_800_000_000)

    private static func sealing() throws -> SealingKeys { SealingKeys(try SealingKey(id: "2027-01", Data(0..<32))) }

    private let store: KeptStore

    init() throws {
        store = KeptStore()
        let data = try Fixture("fleet").data("values.json")
        let values = try JSONDecoder().decode([String: KeptStore.Value].self, from: data)
        store.values.withLock { $0 = values }
    }

    @Test("a login is taken over, sealed or not, and renewed for all")
    func login() async throws {
        let server = AuthServer()
        // Where the server was when the fixture was written.
        for _ in 0..<2 { _ = server.refreshed(nil) }
        let sealed = Pod(server, in: store, token: nil, user: "ann", sealing: try Self.sealing(), named: "sealed")
        let plain = Pod(server, in: store, token: nil, user: "bob", named: "plain")
        try await plain.call()
        #expect(plain.access == "a2")
        // The server takes no older token: this one is renewed.
        try await sealed.call()
        #expect(sealed.access == "a3")
        let next = Pod(server, in: store, token: nil, user: "ann", sealing: try Self.sealing(), named: "sealed")
        try await next.call()
        #expect(next.access == "a3" && server.spends == 3)
    }

    @Test("the response to an idempotency key is that of its request; another request is refused")
    func idempotency() async throws {
        let world = try IdempotencyRecordTests.World { IdempotencyRecordTests.created($0) }
        let records = IdempotencyRecords(in: store, named: "jobs", sealing: try Self.sealing())
        #expect(try await world.call("job 1", records).model == "made")
        #expect(try await world.call("job 1", records).headers["X-B"] == "ü")
        #expect(world.sent.values.isEmpty)
        #expect(await failure { _ = try await world.call("job 1", body: "other", records) }?.code == .invalidRequest)
        for _ in 0..<2 { _ = try await world.call("job 2", records) }
        #expect(world.sent.values == ["job 2"])
    }

    @Test("a stored response is served to its user, and new ones stand beside it", arguments: ["", "ann"])
    func cache(_ user: String) async throws {
        let sent = Recorder<String>()
        #expect(try await Self.get("/", user, in: store, sent) == "of 0.2 for \(user)")
        #expect(sent.values.isEmpty)
        for _ in 0..<2 { _ = try await Self.get("/new", user, in: store, sent) }
        #expect(sent.values == ["/new"])
    }

    #if os(Linux)
        @Test("a bucket of a server is counted on", .needsServer, arguments: RealServer.programs)
        func rate(program: String) async throws {
            let server = try RealServer(program)
            let key = SharedKey(kind: "rate", "api")
            // One token a second, and the next one in a minute: what 0.2 writes for 60 calls at once.
            let full = (Int64(Date().timeIntervalSince1970) + 60) * 1_000_000
            let command = ["-s", server.path("s"), "HSET", key.text + "b", "f", "\(full)", "r", "0"]
            try Command.run("/usr/bin/redis-cli", command)
            let store = ValkeyStore(server.unix, timeout: .seconds(60))
            let bucket = SharedBucket(key, tokens: 1, per: .seconds(1), burst: 1, maximumWait: .seconds(600))
            guard case .granted(let wait) = try await store.takeTokens(1, from: bucket) else {
                Issue.record("it was refused")
                return
            }
            #expect(wait > .seconds(30) && wait < .seconds(90))
        }
    #endif

    private static func get(_ path: String, _ user: String, in store: any SharedStore, _ sent: Recorder<String>)
        async throws
        -> String
    {
        let storage = SharedCacheStorage(in: store, named: "pages", sealing: try sealing(), date: { date })
        let cache = ResponseCache(storage: storage, timeout: .seconds(60), date: { date })
        let transport = ClosureTransport { request in
            sent.record(request.url.path)
            let headers: Headers = ["Cache-Control": "max-age=1000000000", "ETag": "\"1\""]
            let body = ResponseBody.bytes(Data("of 0.2 for \(user)".utf8))
            return .init(status: 200, headers: headers, body: body, url: request.url)
        }
        return try await Client(transport: transport).cache(cache)
            .text(.get, host + path, user: user.isEmpty ? nil : user)
    }
}

/// A store whose values have the versions that they were stored with.
private final class KeptStore: ForwardingStore {
    struct Value: Codable {
        let bytes: Data
        let version: UInt64
    }

    let values = Locked<[String: Value]>([:])
    let store: any SharedStore = LocalStore()

    func read(_ key: SharedKey) async throws(SharedStoreError) -> SharedValue? {
        values.withLock { $0[key.text] }.map { SharedValue(bytes: $0.bytes, version: $0.version) }
    }

    func write(
        _ key: SharedKey,
        _ bytes: Data,
        ifVersion version: UInt64?,
        for timeToLive: Duration
    ) async throws(SharedStoreError) -> UInt64? {
        values.withLock { values in
            guard version == nil || version == values[key.text]?.version ?? 0 else { return nil }
            let new = (values.values.map(\.version).max() ?? 0) + 1
            values[key.text] = Value(bytes: bytes, version: new)
            return new
        }
    }

    func remove(_ key: SharedKey, ifVersion version: UInt64?) async throws(SharedStoreError) -> Bool {
        values.withLock { $0.removeValue(forKey: key.text) != nil }
    }
}
