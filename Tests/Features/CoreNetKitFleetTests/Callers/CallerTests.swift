import CoreNetKitCache
import CoreNetKitCookies
import CoreNetKitFleet
import FileModel
import TestSupport

/// `.ci/proofs callers` tries ten thousand schedules.
@Suite("Nothing that calls share crosses from one caller to another", .timeLimit(.minutes(10)), .paced)
struct CallerTests {
    private static let seeds = TestRounds.seeds(20)

    @Test("there are at least 40 ways in which a call can say who makes it, each once")
    func count() { #expect(CallWay.all.count >= 40) }

    @Test("each way is enough by itself, in the same process and in another one", arguments: CallPlace.allCases)
    func alone(place: CallPlace) async throws {
        for way in CallWay.all where place != .cookies || way.isLogin {
            let world = try CallerWorld(place, [(way, false)])
            var crossed: [String] = []
            async let first = world.call("alice")
            async let second = world.call("bob")
            crossed += try await first + second
            for user in ["alice", "bob", "alice"] { crossed += try await world.call(user) }
            for user in ["bob", "alice", "bob"] { crossed += try await world.call(user, in: 1) }
            #expect(crossed == [], "\(way.testDescription)")
        }
    }

    @Test("calls of one caller share what they may", arguments: CallPlace.allCases)
    func shared(place: CallPlace) async throws {
        guard place != .coalescing, place != .cookies else { return }
        let sent = Recorder<String>()
        let ways = [
            CallWay(testDescription: "a partition") {
                $0.set(partition: Partition($1)).set(transport: UserServer($1, sent: sent))
            },
            CallWay(testDescription: "a partition and a field") {
                $0.set(partition: Partition($1)).add(headers: ["X-Api-Key": $1])
                    .set(transport: UserServer($1, sent: sent))
            },
            CallWay(testDescription: "a client certificate") {
                $0.set(transport: UserServer($1, identity: "0a1b", sent: sent))
            },
        ]
        for way in ways {
            let world = try CallerWorld(place, [(way, false)])
            let before = sent.values.count
            for _ in 0..<3 { #expect(try await world.call("alice") == []) }
            if place.outlivesProcess { #expect(try await world.call("alice", in: 1) == []) }
            #expect(sent.values.count == before + 1, "\(way.testDescription)")
        }
    }

    @Test("random users, ways, places and processes")
    func random() async throws {
        for seed in Self.seeds {
            var dice = SplitMix64(seed: UInt64(seed))
            let place = CallPlace.allCases.randomElement(using: &dice) ?? .memory
            let ways = CallWay.all.filter { place != .cookies || $0.isLogin }.shuffled(using: &dice)
                .prefix(Int.random(in: 1...3, using: &dice))
            let first = ways.first
            let chosen = ways.enumerated().map { number, way in
                let mayBeShared = number > 0 && !way.isTransport && first?.isReplaced(by: way) == false
                return (way, mayBeShared && Bool.random(using: &dice))
            }
            let world = try CallerWorld(place, chosen)
            let calls = (0..<Int.random(in: 2...6, using: &dice)).map { _ in
                (Bool.random(using: &dice) ? "alice" : "bob", Int.random(in: 0...1, using: &dice))
            }
            let isAtOnce = Bool.random(using: &dice)
            let crossed = try await withThrowingTaskGroup(of: [String].self) { group in
                var crossed: [String] = []
                for (user, process) in calls {
                    group.addTask { try await world.call(user, in: process) }
                    if !isAtOnce { crossed += try await group.next() ?? [] }
                }
                return try await group.reduce(into: crossed) { $0 += $1 }
            }
            #expect(crossed == [], "seed \(seed), \(place), \(chosen.map { "\($0.0.testDescription) \($0.1)" })")
        }
    }
}

enum CallPlace: CaseIterable, Sendable {
    case memory, disk, coalescing, idempotency, sharedCache, cookies

    /// Whether another process sees what is shared there.
    var outlivesProcess: Bool { self == .disk || self == .idempotency || self == .sharedCache || self == .cookies }
}

/// Calls of several users that look the same, in one place and several processes.
final class CallerWorld: Sendable {
    /// A busy machine is no storage that is slow.
    private static let timeout = Duration.seconds(60)

    private let place: CallPlace
    private let ways: [(way: CallWay, isShared: Bool)]
    private let store = LocalStore()
    private let files = ModelFiles()
    private let sealing: SealingKeys
    private let processes = Locked<[Client]>([])
    private let disks = Locked<[DiskStorage]>([])
    private let jar = CookieJar()
    private let servers = Locked<[String: UserServer]>([:])

    /// Calls say who makes them in some ways; a shared one says the same for all users.
    init(_ place: CallPlace, _ ways: [(way: CallWay, isShared: Bool)]) throws {
        // What tells the users apart is said last, and not replaced.
        (self.place, self.ways) = (place, ways.filter(\.isShared) + ways.filter { !$0.isShared })
        sealing = SealingKeys(try .random(id: "a"))
    }

    private func client(of process: Int) -> Client {
        processes.withLock { processes in
            while processes.count <= process { processes.append(made()) }
            return processes[process]
        }
    }

    private func made() -> Client {
        let client = Client(transport: UserServer("nobody"))
        switch place {
        case .memory: return client.cache(ResponseCache(memory: .mebibytes(1)))
        case .disk:
            let disk = DiskStorage("/cache", limit: 8 << 20, files: files) { 0 }
            disks.withLock { $0.append(disk) }
            return client.cache(ResponseCache(storage: disk, timeout: Self.timeout))
        case .coalescing: return client.coalesce(by: ["Accept"])
        case .idempotency:
            return client.idempotencyRecords(IdempotencyRecords(in: store, named: "test", sealing: sealing))
        case .sharedCache:
            let storage = SharedCacheStorage(in: store, named: "test/1", sealing: sealing)
            return client.cache(ResponseCache(storage: storage, timeout: Self.timeout))
        case .cookies: return client.cookies(jar)
        }
    }

    private func server(of user: String) -> UserServer {
        servers.withLock { servers in
            if let known = servers[user] { return known }
            let made = UserServer(user)
            servers[user] = made
            return made
        }
    }

    /// What crosses from another user in a call.
    func call(_ user: String, in process: Int = 0) async throws -> [String] {
        let server = server(of: user)
        var builder = UrlChainsBuilder<String>(client: client(of: process)).set(transport: server)
            .add(headers: ["Idempotency-Key": "job 1"])
            .route(place == .idempotency ? .post : .get, "\(CallWay.origin)/me")
        if place == .cookies { builder = builder.add(headers: [UserServer.cookies: "1"]) }
        for (way, isShared) in ways { builder = way.apply(builder, isShared ? "team" : user) }
        let chain: Chain<Void, Data> = builder.loadData()
        let text: String
        do {
            text = String(decoding: try await chain.process() as Data, as: UTF8.self)
        } catch let error as NetworkError where place == .idempotency && error.code == .invalidRequest {
            return []
        }
        for disk in disks.withLock({ $0 }) { await disk.flush() }
        return text == user ? [] : ["\(user) got \(text)"]
    }
}
