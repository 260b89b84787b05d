import CoreNetKitChain
import CoreNetKitSystem

extension RetryPolicy {
    /// How long to wait between attempts: exponential, with full jitter.
    ///
    /// The wait after the n-th failure is uniformly distributed between zero and `base` · 2ⁿ⁻¹, at most `cap`, so that
    /// clients that failed together do not try again at the same moment.
    public struct Backoff: Sendable, Hashable {
        /// The longest wait after the first failure.
        public var base: Duration
        /// The longest wait; not below the base.
        public var cap: Duration

        /// Waits that double.
        ///
        /// - Parameters:
        ///   - base: The longest wait after the first failure.
        ///   - cap: The longest wait; not below the base.
        /// - Returns: The waits.
        public static func exponential(
            base: Duration = .milliseconds(500),
            cap: Duration = .seconds(20)
        ) -> Backoff {
            Backoff(base: base, cap: cap)
        }

        /// The longest wait after this number of failures.
        public func ceiling(afterFailures count: Int) -> Duration {
            base.doubled(max(count, 1) - 1, upTo: cap)
        }

        /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
        public var problem: String? {
            if base <= .zero { return "the back-off's base of \(base) is not above zero" }
            return cap < base ? "the back-off's cap of \(cap) is below its base of \(base)" : nil
        }
    }
}
