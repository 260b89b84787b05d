public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Decides which failures of an attempt are repeated, how often, and after what wait.
///
/// ### Choose
/// ``standard`` repeats twice: statuses 408, 425, 429, 500, 502, 503, 504 and failures of the wire, if sending again
/// is safe. It is safe for GET, HEAD, OPTIONS, TRACE, PUT and DELETE (RFC 9110, 9.2.2), for any request with an
/// `Idempotency-Key`, and for any method when the server cannot have seen the request. A body that cannot be sent again
/// is never repeated.
///
/// ### Bounds that no policy changes
///
/// The budget of the client, and the deadline of the call: a wait beyond it is not started.
public struct RetryPolicy: Sendable {
    /// Makes the final decision about one failure.
    ///
    /// It receives the failure and the planned wait, `nil` if the rules give up; its result has the same meaning.
    public typealias Decision = @Sendable (_ failure: NetworkError, _ planned: Duration?) -> Duration?

    /// The maximum number of attempts after the first; not below zero.
    public var limit: Int
    /// The waits between attempts.
    public var backoff: Backoff
    /// The longest wait that a server may ask for with `Retry-After`; if it asks for more, the call fails at once.
    public var longestRetryAfter: Duration
    /// The statuses that are repeated; one of success, such as 202 of a job that is not done, is repeated, too, and in the end
    /// fails the call with `unacceptableStatus`.
    public var statuses: Set<Int>
    /// Whether a POST, or another request that is otherwise not sent again, is repeated after a 429 with a `Retry-After`.
    ///
    /// The risk: a server that acted on the request before it refused it acts twice, for example orders twice. Set it for
    /// servers that promise to count requests before they act; where they take one, an `Idempotency-Key` has no such risk.
    /// The body must be replayable, and ``statuses`` must contain 429. A 503 does not suffice, because gateways send it for
    /// servers that are still at work.
    /// - SeeAlso: [RFC 6585, 4](https://www.rfc-editor.org/rfc/rfc6585#section-4)
    public var retriesUnsafeMethodsAfter429: Bool
    /// Makes the final decision, within the limit, the budget and the deadline, for requests that can be sent again.
    public var decide: Decision?

    /// Two repetitions with the default back-off.
    public static let standard = RetryPolicy(statuses: TransientStatus.statuses)

    /// Creates a policy; each parameter is described at the property of that name.
    public init(
        limit: Int = 2,
        backoff: Backoff = .exponential(),
        longestRetryAfter: Duration = .seconds(60),
        statuses: Set<Int> = standard.statuses,
        retriesUnsafeMethodsAfter429: Bool = false,
        decide: Decision? = nil
    ) {
        (self.limit, self.backoff, self.longestRetryAfter, self.decide) = (limit, backoff, longestRetryAfter, decide)
        (self.statuses, self.retriesUnsafeMethodsAfter429) = (statuses, retriesUnsafeMethodsAfter429)
    }

    package var settingsProblem: String? {
        if limit < 0 { return "the retry limit of \(limit) is below zero" }
        if longestRetryAfter < .zero { return "the longest Retry-After of \(longestRetryAfter) is below zero" }
        return backoff.problem
    }

    /// How long to wait between attempts: exponential, with full jitter.
    ///
    /// The wait after the n-th failure is uniformly distributed between zero and `base` · 2ⁿ⁻¹, at most `cap`, so that
    /// clients that failed together do not try again at the same moment.
    public struct Backoff: Sendable, Hashable {
        /// The longest wait after the first failure.
        public var base: Duration
        /// The longest wait; not below the base.
        public var cap: Duration

        /// Waits that double, up to `cap`.
        public static func exponential(
            base: Duration = .milliseconds(500),
            cap: Duration = .seconds(20)
        ) -> Backoff { Backoff(base: base, cap: cap) }

        /// The longest wait after this number of failures.
        public func ceiling(afterFailures count: Int) -> Duration {
            base.doubled(max(count, 1) - 1, upTo: cap)
        }

        package var problem: String? {
            if base <= .zero { return "the back-off's base of \(base) is not above zero" }
            return cap < base ? "the back-off's cap of \(cap) is below its base of \(base)" : nil
        }
    }
}
