import CoreNetKitChain
public import CoreNetKitRecovery
import CoreNetKitSystem

extension RateLimiter {
    /// Creates a limiter whose rate several processes share.
    ///
    /// The store counts, by its own clock. Tokens are taken for several requests at once if the rate and the burst
    /// allow it, and a process that has to wait does not ask again earlier. A slow or unavailable store delays no
    /// request longer than its timeout.
    ///
    /// - Parameters:
    ///   - count: How many requests all processes may send together, 1...1 000 000.
    ///   - period: The time for `count` requests, 1 ms to a day.
    ///   - burst: How many requests may start at once after a pause, 1...100 000. With 1 the store is asked for each request.
    ///   - name: Distinguishes this rate from others in the store, the same in each process: the server and its limit,
    ///     such as `api.example.com/search`; not empty.
    ///   - store: Where requests are counted.
    ///   - policy: What happens to requests while the store is unavailable.
    ///   - dryRun: Lets every request pass at once, and only reports those that would have had to wait.
    ///   - events: Called when the store is unavailable and, in a dry run, for requests beyond the rate; must return quickly.
    public convenience init(
        _ count: Int,
        per period: Duration = .seconds(1),
        burst: Int = 1,
        named name: String,
        in store: any SharedStore,
        ifStoreUnavailable policy: StoreFailurePolicy,
        dryRun: Bool = false,
        events: @escaping @Sendable (FleetEvent) -> Void = { _ in }
    ) {
        let settings = SharedRate.Settings(
            name: name,
            count: count,
            period: period,
            burst: burst,
            failurePolicy: policy,
            isDryRun: dryRun
        )
        self.init(source: SharedRate(settings, store, events))
    }
}

extension SharedRate {
    struct Settings: Sendable {
        let name: String
        let count: Int
        let period: Duration
        let burst: Int
        let failurePolicy: StoreFailurePolicy
        let isDryRun: Bool

        /// The problem with the settings, on one line; `nil` if there is none.
        var problem: String? {
            if name.isEmpty { return "a shared rate needs a name, as in 'api.example.com/search'" }
            if let problem = failurePolicy.problem { return "a rate is \(problem)" }
            do {
                try bucket(longestWait: .zero).check(taking: 1)
                return nil
            } catch {
                return "the rate '\(name)': \(error.message)"
            }
        }

        private var processes: Int { if case .localShare(let processes) = failurePolicy { processes } else { 1 } }

        /// How many tokens one place in the queue has.
        var size: Int {
            guard problem == nil, case .localShare(let processes) = failurePolicy else { return 1 }
            return TokenReserve.size(rate: Double(count) / (period / .seconds(1)), processes: processes, burst: burst)
        }

        /// The bucket that all processes share.
        func bucket(longestWait: Duration) -> SharedBucket { bucket(per: period, burst, longestWait) }

        /// The bucket of this process's share.
        func share(longestWait: Duration) -> SharedBucket {
            bucket(per: period * processes, max(1, burst / processes), longestWait)
        }

        private func bucket(per period: Duration, _ burst: Int, _ wait: Duration) -> SharedBucket {
            SharedBucket(SharedKey(kind: "rate", name), tokens: count, per: period, burst: burst, maximumWait: wait)
        }

        /// How long the bucket of the share takes to fill.
        var shareRoom: Duration { period * processes * max(1, burst / processes) / count }

        func refusal(wait: Duration) -> Outcome {
            .refused(wait: wait, "the shared rate allows the next request in \(wait.milliseconds), after the deadline")
        }
    }
}
