import CoreNetKitChain
import CoreNetKitRecovery
import CoreNetKitSharedStore
import CoreNetKitSystem

extension SharedRate {
    /// The settings of a shared rate.
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
        func bucket(longestWait: Duration) -> SharedBucket {
            SharedBucket(
                SharedKey(kind: "rate", name),
                tokens: count,
                per: period,
                burst: burst,
                longestWait: longestWait
            )
        }

        /// The bucket of this process's share.
        func share(longestWait: Duration) -> SharedBucket {
            SharedBucket(
                SharedKey(kind: "rate", name),
                tokens: count,
                per: period * processes,
                burst: max(1, burst / processes),
                longestWait: longestWait
            )
        }

        /// How long the bucket of the share takes to fill.
        var shareRoom: Duration { period * processes * max(1, burst / processes) / count }

        func refusal(wait: Duration) -> Outcome {
            .refused(wait: wait, "the shared rate allows the next request in \(wait.milliseconds), after the deadline")
        }
    }
}
