import CoreNetKitFleet
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
        clock: ManualClock? = nil,
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
                clock: clock.map { CallClock($0) } ?? .continuous,
                events: { events.record($0) }
            ),
            token: token,
            origins: [host],
            user: user,
            save: save,
            refresh: { try await onRefresh($0, server) }
        )
        client = Client(transport: ClosureTransport(server.resources), date: date).authorize(refresher)
    }

    func call() async throws { try await client.call() }

    /// Ends the session, and returns when that is stored, or noted for later.
    func signOut() async {
        refresher.set(nil)
        await refresher.idle()
    }

    var access: String? { refresher.token?.value }
}

extension AuthServer {
    func pods(_ count: Int, in store: any SharedStore, clock: ManualClock? = nil) -> [Pod] {
        (0..<count).map { _ in Pod(self, in: store, clock: clock) }
    }

    /// Processes of one fleet, each with the token that the first of them has renewed.
    func renewedPods(_ count: Int, in store: any SharedStore, clock: ManualClock? = nil) async throws -> [Pod] {
        let pods = pods(count, in: store, clock: clock)
        try await expire(for: pods)
        return pods
    }

    /// No access token works any more; then the processes make a call each, one after the other.
    func expire(for pods: [Pod]) async throws {
        expire()
        try await pods.call()
    }

    /// That so many refresh tokens came, and none of them again.
    func expectSpent(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(spends == count, sourceLocation: sourceLocation)
        #expect(doubles == 0, sourceLocation: sourceLocation)
    }
}

extension [Pod] {
    func call() async throws { for pod in self { try await pod.call() } }
}

extension Client {
    func call(_ url: String = host, deadline: Duration? = nil) async throws {
        let builder = UrlChainsBuilder<String>(client: self).set(deadline: deadline).route(.get, url)
        let chain: Chain<Void, Void> = builder.build()
        try await chain.process()
    }

    func text(
        _ method: HTTPMethod = .get,
        _ url: String = host,
        headers: Headers = [:],
        user: String? = nil
    ) async throws -> String {
        var builder = UrlChainsBuilder<String>(client: self).set(deadline: nil).route(method, url).set(headers: headers)
        if let user { builder = builder.set(partition: Partition(user)) }
        let chain: Chain<Void, String> = builder.build()
        return try await chain.process()
    }
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

    /// The time goes on to each sleeper in turn until something holds.
    func advance(until holds: () -> Bool) async {
        while !holds() {
            if let next = sleepers.first { advance(to: next) }
            await Task.yield()
        }
    }

    /// Runs work while the time goes on to each sleeper in turn, as soon as woken tasks have had so many turns.
    ///
    /// The time of `gate` waits until that opens, once.
    @discardableResult
    func running<Value: Sendable>(
        yields: Int = 50,
        gate: (time: Instant, opens: @Sendable () -> Bool)? = nil,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let driver = Task {
            var gate = gate
            while true {
                try await waitForSleepers(1)
                for _ in 0..<yields { await Task.yield() }
                if let (time, opens) = gate, let next = sleepers.first, next >= time {
                    // Others may begin to sleep for less.
                    guard opens() else { continue }
                    gate = nil
                }
                try await advanceToNextSleeper()
            }
        }
        defer { driver.cancel() }
        return try await work()
    }
}

/// What a login gives: both tokens.
struct Login: TokenCredential, Codable, Hashable {
    var access: String
    var refresh: String
    var expires: Date?

    var accessToken: AccessToken { AccessToken(access, expires: expires) }

    init(_ number: Int, expires: Date? = nil) {
        (access, refresh, self.expires) = ("a\(number)", "r\(number)", expires)
    }
}

/// An authorization server that gives each refresh token once, and counts those that come twice.
final class AuthServer: Sendable {
    struct State {
        var last = 0
        var spent: [String: Int] = [:]
        var valid = "a0"
    }

    private let state = Locked(State())
    /// When tokens expire, as they say themselves.
    let expires = Locked<Date?>(nil)

    var spends: Int { state.withLock { $0.spent.values.reduce(0, +) } }
    var doubles: Int { state.withLock { $0.spent.values.reduce(0) { $0 + $1 - 1 } } }
    var valid: String { state.withLock { $0.valid } }

    func refreshed(_ login: Login?) -> Login {
        state.withLock { state in
            state.spent[login?.refresh ?? "none", default: 0] += 1
            state.last += 1
            state.valid = "a\(state.last)"
            return Login(state.last, expires: expires.withLock { $0 })
        }
    }

    func login() -> Login {
        state.withLock { state in
            state.last += 100
            state.valid = "a\(state.last)"
            return Login(state.last)
        }
    }

    func expire() { state.withLock { $0.valid = "none" } }

    var resources: ClosureResponses {
        { [self] request in
            .init(status: request.headers["Authorization"] == "Bearer \(valid)" ? 200 : 401, url: request.url)
        }
    }

    typealias ClosureResponses = @Sendable (TransportRequest) async throws -> TransportResponse
}
