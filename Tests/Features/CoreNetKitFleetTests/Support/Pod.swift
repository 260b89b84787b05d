import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestSupport

let host = "http://localhost"

/// One process of a fleet, as a refresher of its own.
final class Pod: Sendable {
    let store: WatchedStore
    let refresher: TokenRefresher
    let events = Recorder<FleetEvent>()
    private let client: Client

    /// Makes a process; `onRefresh` stands around what the server does with a credential.
    init(
        _ server: AuthServer,
        in store: any SharedStore,
        token: Login? = Login(0),
        user: String = "ann",
        sealing: some Sealing = .plain,
        lost: SharedCredentials.LostRefresh = .endSession,
        lease: Duration = .seconds(10),
        named name: String = "tests",
        clock: CallClock = .continuous,
        onRefresh: @escaping @Sendable (Login?, AuthServer) async throws -> Login = { $1.refreshed($0) },
        date: @escaping @Sendable () -> Date = { Date() },
        save: (@Sendable (Login) async throws -> Void)? = nil
    ) {
        let (watched, events) = (WatchedStore(store), events)
        self.store = watched
        refresher = TokenRefresher(
            shared: SharedCredentials(
                watched,
                named: name,
                sealing: sealing,
                afterLostRefresh: lost,
                lease: lease,
                clock: clock,
                events: { events.record($0) }
            ),
            token: token,
            origins: [host],
            user: user,
            save: save,
            refresh: { try await onRefresh($0, server) }
        )
        client = Client(transport: ClosureTransport(server.resources), date: date).authorize(with: refresher)
    }

    func call() async throws {
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
            .set(deadline: nil)
            .route(.get, host)
            .build()
        try await chain.process()
    }

    var access: String? { refresher.token?.value }
}

extension ManualClock {
    /// Runs work whose polls sleep on this clock: time goes on only to who sleeps for up to 250 ms, so that limits of many
    /// seconds come when enough polls have passed, and not at once.
    func polling<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        let task = Task { try await work() }
        let isOver = Locked(false)
        let watcher = Task {
            _ = await task.result
            isOver.withLock { $0 = true }
        }
        while !isOver.withLock({ $0 }) {
            if let first = sleepers.first, now.duration(to: first) <= .milliseconds(250) { advance(to: first) }
            await Task.yield()
        }
        await watcher.value
        return try await task.value
    }
}

/// Gives other tasks their turn until something holds; the suite's time limit ends a wait for what never comes.
func until(_ holds: () -> Bool) async {
    while !holds() { await Task.yield() }
}

/// What a step ended with: its error, or `nil`.
func failure(of step: () async throws -> Void) async -> NetworkError? {
    do {
        try await step()
        return nil
    } catch {
        return error as? NetworkError
    }
}
