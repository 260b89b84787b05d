import CoreNetKit
import CoreNetKitFleet
import CoreNetKitSharedStore
import TestPace
import Testing

@Suite("What a process of a fleet leaves behind", .timeLimit(.minutes(10)), .paced)
struct LifetimeTests {
    /// The time limit of the suite ends a wait for what is never released.
    private func expectReleased(_ store: @autoclosure () throws -> any SharedStore) async throws {
        weak var refresher: TokenRefresher?
        weak var watched: WatchedStore?
        do {
            let server = AuthServer()
            let pod = Pod(server, in: try store())
            (refresher, watched) = (pod.refresher, pod.store)
            server.expire()
            try await pod.call()
        }
        await until { refresher == nil && watched == nil }
    }

    @Test("is nothing: a refresher that has renewed its token is released with its store, though it listens to changes")
    func local() async throws {
        try await expectReleased(LocalStore())
    }

    #if os(Linux)
        @Test(
            "is nothing of a server's connection, which the first refresh has made",
            .enabled(if: !RealServer.programs.isEmpty, RealServer.missing)
        )
        func server() async throws {
            let server = try RealServer(RealServer.programs[0])
            try await expectReleased(ValkeyStore(server.unix, timeout: .seconds(5)))
        }
    #endif
}
