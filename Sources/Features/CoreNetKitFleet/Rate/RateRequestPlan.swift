import CoreNetKitSystem

/// The rules for when a process asks the store for tokens, and for how many, as a value.
///
/// Tokens granted ahead of time are a place in the queue of all processes. A process holds one place, and asks for the next
/// one when that place is due, so the processes take turns regardless of the number of callers in each. It takes more
/// tokens at once only while enough are available.
struct RateRequestPlan: Sendable {
    struct TokenRequest: Sendable, Hashable {
        /// When to ask; `nil` for now.
        let time: Duration?
        let tokens: Int
        let longestWait: Duration
        /// Whether this asks for more tokens than one place has; extra tokens are taken only if available without a wait.
        let isExtra: Bool
    }

    /// The longest time by which a request is sent early.
    private static let longestLead = Duration.milliseconds(20)
    /// The longest wait that a bucket allows.
    private static let day = Duration.seconds(86_400)

    /// The earliest time of this process's next place.
    private var exhaustedUntil: Duration?
    /// The time of its current place.
    private var reservedTime: Duration?
    /// How many tokens to ask for at once while enough are available.
    private var batchSize = 1
    /// How late the last reply was; the next request is sent earlier by this time.
    private var lead = Duration.zero
    /// The earliest and the latest deadline of the callers.
    private var (earliest, latest) = (Duration.forever, Duration.zero)

    /// How long the store has no tokens for this process, if known.
    func remainingWait(at now: Duration) -> Duration? {
        exhaustedUntil.map { $0 - now }.flatMap { $0 > .zero ? $0 : nil }
    }

    mutating func addCaller(isFirst: Bool, deadline: Duration?) {
        if isFirst { (earliest, latest) = (.forever, .zero) }
        earliest = min(earliest, deadline ?? .forever)
        latest = max(latest, deadline ?? .forever)
    }

    func tokenRequest(for callers: Int, size: Int, burst: Int, at now: Duration) -> TokenRequest {
        let tokens = min(burst, max(size, min(batchSize, callers)))
        let longestWait = tokens > size ? .zero : min(max(.zero, latest - now), Self.day)
        let time = reservedTime.map { $0 - lead } ?? exhaustedUntil.map { $0 - longestWait }
        let later = time.flatMap { $0 > now ? $0 : nil }
        return TokenRequest(time: later, tokens: tokens, longestWait: longestWait, isExtra: tokens > size)
    }

    /// Learns from the reply to a request that was due at a time.
    mutating func received(_ grant: SharedGrant, to tokenRequest: TokenRequest, due: Duration, at now: Duration) {
        lead = min(max(.zero, now - due), Self.longestLead)
        switch grant {
        case .granted(.zero): (exhaustedUntil, reservedTime, batchSize) = (nil, nil, tokenRequest.tokens * 2)
        case .granted(let wait): (exhaustedUntil, reservedTime, batchSize) = (now + wait, now + wait, 1)
        case .refused(let wait):
            (exhaustedUntil, reservedTime, batchSize) = (tokenRequest.isExtra ? nil : now + wait.bounded, nil, 1)
        }
    }

    /// Resets the rules after the store failed to reply.
    mutating func failed() { (exhaustedUntil, reservedTime, batchSize) = (nil, nil, 1) }

    /// Whether the deadline of a caller may come before the next place.
    func mayMissDeadline(at now: Duration) -> Bool { exhaustedUntil.map { earliest <= $0 && now < $0 } ?? false }

    /// Keeps only the deadlines of the callers that remain.
    mutating func keepDeadlines(_ deadlines: some Sequence<Duration?>) {
        earliest = deadlines.reduce(.forever) { min($0, $1 ?? .forever) }
    }
}

/// Tokens that were taken together and are not used yet: the rules, as a value.
package struct TokenReserve: Sendable {
    /// How long tokens are kept; unused tokens are lost to the other processes.
    package static let age = Duration.milliseconds(100)

    package private(set) var count = 0
    private var ready = Duration.zero

    package init() {}

    /// How many tokens to take at once: those that one process needs in 10 ms, at most the burst.
    package static func size(rate: Double, processes: Int, burst: Int) -> Int {
        let share = rate * 0.01 / Double(max(1, processes))
        return share < 1 ? 1 : min(burst, Int(min(share, 1_000_000)))
    }

    /// Takes one token; returns when it may be used, `nil` if there is none, or they are too old.
    package mutating func take(at now: Duration) -> Duration? {
        if now > ready + Self.age { count = 0 }
        guard count > 0 else { return nil }
        count -= 1
        return ready
    }

    /// Adds tokens that may be used from a time on; the tokens in hand take the later time.
    package mutating func keep(_ more: Int, ready time: Duration, at now: Duration) {
        if now > ready + Self.age { count = 0 }
        guard more > 0 else { return }
        ready = count == 0 ? time : max(ready, time)
        count += more
    }
}
