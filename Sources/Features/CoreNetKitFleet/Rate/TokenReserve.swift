import CoreNetKitSystem

/// Tokens that were taken together and are not used yet: the rules, as a value.
package struct TokenReserve: Sendable {
    /// How long tokens are kept; unused tokens are lost to the other processes.
    package static let age = Duration.milliseconds(100)

    /// The number of tokens.
    package private(set) var count = 0
    private var ready = Duration.zero

    package init() {}

    /// How many tokens to take at once: those that one process needs in 10 ms, at most the burst.
    ///
    /// - Parameters:
    ///   - rate: How many requests all processes may send in a second.
    ///   - processes: How many processes share the rate.
    ///   - burst: The most tokens that can be taken at once.
    /// - Returns: At least 1.
    package static func size(rate: Double, processes: Int, burst: Int) -> Int {
        let share = rate * 0.01 / Double(max(1, processes))
        return share < 1 ? 1 : min(burst, Int(min(share, 1_000_000)))
    }

    /// Takes one token.
    ///
    /// - Returns: When it may be used; `nil` if there is none, or they are too old.
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
