import CoreNetKitSharedStore
import CoreNetKitSystem

/// When a process asks the store for tokens, and for how many: the rules, as a value.
///
/// Tokens that are granted ahead of their time are a place in the line of all processes. A process has one place, and asks
/// for the next one when that comes: so the processes take turns, however many callers wait in each. It takes more tokens
/// at once only while there are enough.
struct RateAsking: Sendable {
    struct Question: Sendable, Hashable {
        /// When to ask; `nil` for now.
        let time: Duration?
        let tokens: Int
        let longestWait: Duration
        /// Whether these are more tokens than a place has: they are taken only if they are there.
        let isExtra: Bool
    }

    /// The most that a question is asked early.
    private static let longestLead = Duration.milliseconds(20)
    /// The longest wait that a bucket allows.
    private static let day = Duration.seconds(86_400)

    /// No later place of this process comes before this.
    private var overUntil: Duration?
    /// Its latest place.
    private var place: Duration?
    /// How many tokens are asked for at once while there are enough.
    private var many = 1
    /// How long the last reply took, from when it was due: the next question is asked as much earlier.
    private var lead = Duration.zero
    /// The deadlines of the callers.
    private var (earliest, latest) = (Duration.forever, Duration.zero)

    /// How long the store has nothing for this process, where that is known.
    func over(at now: Duration) -> Duration? { overUntil.map { $0 - now }.flatMap { $0 > .zero ? $0 : nil } }

    /// A caller comes.
    mutating func comes(first isFirst: Bool, with deadline: Duration?) {
        if isFirst { (earliest, latest) = (.forever, .zero) }
        earliest = min(earliest, deadline ?? .forever)
        latest = max(latest, deadline ?? .forever)
    }

    /// What to ask next.
    func question(for callers: Int, size: Int, burst: Int, at now: Duration) -> Question {
        let tokens = min(burst, max(size, min(many, callers)))
        let longestWait = tokens > size ? .zero : min(max(.zero, latest - now), Self.day)
        let time = place.map { $0 - lead } ?? overUntil.map { $0 - longestWait }
        return Question(
            time: time.flatMap { $0 > now ? $0 : nil },
            tokens: tokens,
            longestWait: longestWait,
            isExtra: tokens > size
        )
    }

    /// Learns from a reply.
    ///
    /// - Parameters:
    ///   - grant: The reply.
    ///   - question: What was asked.
    ///   - due: When it was to be asked.
    ///   - now: The time.
    mutating func received(_ grant: SharedGrant, to question: Question, due: Duration, at now: Duration) {
        lead = min(max(.zero, now - due), Self.longestLead)
        switch grant {
        case .granted(.zero): (overUntil, place, many) = (nil, nil, question.tokens * 2)
        case .granted(let wait): (overUntil, place, many) = (now + wait, now + wait, 1)
        case .refused(let wait): (overUntil, place, many) = (question.isExtra ? nil : now + wait.bounded, nil, 1)
        }
    }

    /// The store did not reply.
    mutating func failed() { (overUntil, place, many) = (nil, nil, 1) }

    /// Whether deadlines of callers may come before all later places.
    func hasLate(at now: Duration) -> Bool { overUntil.map { earliest <= $0 && now < $0 } ?? false }

    /// Those have gone.
    mutating func stay(_ deadlines: some Sequence<Duration?>) {
        earliest = deadlines.reduce(.forever) { min($0, $1 ?? .forever) }
    }
}
