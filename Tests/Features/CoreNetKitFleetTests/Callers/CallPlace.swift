import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitCookies
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitSharedStore
import CoreNetKitSystem
import FileModel
import Foundation

/// A place where calls share something.
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
    private let processes: Locked<[Client]>
    private let disks = Locked<[DiskStorage]>([])
    private let jar = CookieJar()
    private let servers = Locked<[String: UserServer]>([:])

    /// Creates a world.
    ///
    /// - Parameters:
    ///   - place: Where calls share something.
    ///   - ways: How the calls say who makes them; a shared one says the same for all users.
    /// - Throws: Where there is no randomness for a key.
    init(_ place: CallPlace, _ ways: [(way: CallWay, isShared: Bool)]) throws {
        // What tells the users apart is said last, and not replaced.
        (self.place, self.ways) = (place, ways.filter(\.isShared) + ways.filter { !$0.isShared })
        sealing = SealingKeys(try .random(id: "a"))
        processes = Locked([])
    }

    /// A client of a process, the same one for all of its calls.
    private func client(of process: Int) -> Client {
        processes.withLock { processes in
            while processes.count <= process { processes.append(made()) }
            return processes[process]
        }
    }

    private func made() -> Client {
        let client = Client(transport: UserServer("nobody"))
        switch place {
        case .memory: return client.cache(with: ResponseCache(memory: .mebibytes(1)))
        case .disk:
            let disk = DiskStorage("/cache", limit: 8 << 20, files: files) { 0 }
            disks.withLock { $0.append(disk) }
            return client.cache(with: ResponseCache(storage: disk, timeout: Self.timeout))
        case .coalescing: return client.coalesce(by: ["Accept"])
        case .idempotency:
            return client.idempotencyRecords(IdempotencyRecords(in: store, named: "test", sealing: sealing))
        case .sharedCache:
            let storage = SharedCacheStorage(in: store, named: "test/1", sealing: sealing)
            return client.cache(with: ResponseCache(storage: storage, timeout: Self.timeout))
        case .cookies: return client.cookies(in: jar)
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

    /// Makes a call.
    ///
    /// - Returns: What crossed from another user.
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
            // The key of another URL's request.
            return []
        }
        for disk in disks.withLock({ $0 }) { await disk.flush() }
        return text == user ? [] : ["\(user) got \(text)"]
    }
}
