import CoreNetKitChain
public import CoreNetKitHTTP
public import CoreNetKitRecovery
import CoreNetKitSystem

extension RateLimiter {
    /// Creates a limiter that learns the rate from the server's responses, and shares the last of a quota with other processes.
    ///
    /// It does what `learning(by:)` does; once a response shows that half of a quota is left or less, the processes take
    /// turns by the store's clock, one request each. While the store is unavailable, each process spreads what the last
    /// response had left.
    ///
    /// - Parameters:
    ///   - route: Names the route of a request, as in `learning(by:)`; the same in each process.
    ///   - name: Distinguishes this rate from others in the store, the same in each process, such as
    ///     `api.example.com`; not empty. Origins, users and routes have quotas of their own.
    ///   - store: Where turns are taken.
    ///   - events: Called when the store is unavailable; must return quickly.
    /// - Returns: A limiter that sends freely until the first response to this process.
    public static func learning(
        by route: (@Sendable (TransportRequest) -> String)? = nil,
        named name: String,
        in store: any SharedStore,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) -> RateLimiter {
        let problem = name.isEmpty ? "a shared rate needs a name, as in 'api.example.com'" : nil
        let quotas = SharedQuotas(name: name, store: store, events: events)
        return RateLimiter(source: LearnedRate(by: route, problem: problem, sharing: quotas.waitForTurn))
    }
}

/// The turns of learned quotas, in a store.
final class SharedQuotas: Sendable {
    private let name: String
    private let store: any SharedStore
    private let events: @Sendable (FleetEvent) -> Void
    private let isUnavailable = Locked(false)

    init(name: String, store: any SharedStore, events: @escaping @Sendable (FleetEvent) -> Void) {
        (self.name, self.store, self.events) = (name, store, events)
    }

    @Sendable func waitForTurn(_ pace: QuotaPace, _ context: RequestContext) async throws {
        let (clock, deadline) = (context.clock, context.deadline)
        let now = clock.now
        let wait = try await context.waiting(for: .init(.store)) {
            try await self.wait(for: pace, at: now, before: min(pace.end, deadline ?? .forever))
        }
        let turn = min(now + wait, pace.end)
        guard turn > clock.now else { return }
        if let deadline, turn >= deadline {
            throw NetworkError.limited(by: "the server's quota", for: turn - now, node: "LearnedRateNode")
        }
        try await context.waiting(for: .init(.rate, planned: turn - now)) { try await clock.sleep(until: turn) }
    }

    /// How long a request waits for its turn.
    private func wait(for pace: QuotaPace, at now: Duration, before end: Duration) async throws -> Duration {
        // Shorter than a bucket can have, it needs no turns; longer ones are at most a day.
        guard end > now, pace.spacing >= .milliseconds(1) else { return .zero }
        let bucket = SharedBucket(
            SharedKey(kind: "quota", parts: [name, pace.name.map { "\($0.utf8.count):\($0)" }.joined()]),
            tokens: 1,
            per: min(pace.spacing, .seconds(86_400)),
            burst: 1,
            maximumWait: min(end - now, .seconds(86_400))
        )
        do throws(SharedStoreError) {
            let grant = try await store.takeTokens(1, from: bucket)
            isUnavailable.withLock { $0 = false }
            return switch grant {
            case .granted(let wait), .refused(let wait): wait
            }
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            let isNew = isUnavailable.withLock { isUnavailable in
                defer { isUnavailable = true }
                return !isUnavailable
            }
            let message = "the rate '\(name)' is what this process learns alone"
            if isNew { events(FleetEvent(.rate, .fallback, message, cause: error)) }
            return .zero
        }
    }
}
