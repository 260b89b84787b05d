import CoreNetKit
import CoreNetKitChain
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A login that meets a refresh, and a refresh that meets its timeout", .timeLimit(.minutes(10)), .paced)
struct LoginRaceTests {
    @Test("started while the old credential is renewed stays: what the refresh brought is of a session that is over")
    func loginDuringRefresh() async throws {
        let (server, store) = (AuthServer(), LocalStore())
        let (stopped, goOn) = (Signal(), Signal())
        let pod = Pod(server, in: store)
        pod.store.on(.write) { (count) throws(SharedStoreError) in
            // The first one is the intention; the second one would store what came.
            guard count == 2 else { return }
            stopped.signal()
            await Task.detached { await goOn.wait() }.value
        }
        server.expire()
        let call = Task { await failure { try await pod.call() } }
        await stopped.wait()
        let login = server.login()
        pod.refresher.set(login, user: "ann")
        goOn.signal()
        _ = await call.value
        await pod.refresher.idle()
        let other = Pod(server, in: store)
        try await other.call()
        #expect(other.access == login.access)
        try await pod.call()
        #expect(pod.access == login.access)
        #expect(server.spends == 1)
    }

    /// A way to share that takes its time.
    private final class SlowSharing: CredentialSharing {
        let isSending: Bool
        let goOn = Signal()
        let wasCut = Locked<Bool?>(nil)
        var problem: String? { nil }

        init(isSending: Bool) { self.isSending = isSending }

        func renewed(
            _ current: (any TokenCredential)?,
            of user: Partition,
            date: @escaping @Sendable () -> Date,
            by refresh: @escaping Refresh
        ) async throws -> any TokenCredential {
            await Task.detached { [goOn] in await goOn.wait() }.value
            wasCut.withLock { $0 = Task.isCancelled }
            return Login(1)
        }

        func publish(_ credential: (any TokenCredential)?, of user: Partition) async {}
    }

    @Test(
        "that takes longer than its callers wait is cut only while nothing is under way at the server",
        arguments: [false, true]
    )
    func timeout(isSending: Bool) async throws {
        let (server, clock, sharing) = (AuthServer(), ManualClock(), SlowSharing(isSending: isSending))
        let refresher = TokenRefresher(
            sharing: sharing,
            token: Login(0),
            origins: [host],
            user: "ann",
            margin: .zero,
            timeout: .seconds(30),
            coolDown: .zero,
            fields: { ["Authorization": "Bearer \($0.value)"] },
            refuses: { $0.status == 401 },
            save: nil,
            refresh: { (_: Login?) in Login(1) }
        )
        let client = Client(transport: ClosureTransport(server.resources), clock: CallClock(clock))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client.authorize(with: refresher))
            .set(deadline: nil)
            .route(.get, host)
            .build()
        server.expire()
        let call = Task { await failure { try await chain.process() } }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(31))
        #expect(await call.value?.code == .tokenRefreshFailed)
        sharing.goOn.signal()
        await refresher.idle()
        #expect(sharing.wasCut.withLock { $0 } == !isSending)
    }
}
