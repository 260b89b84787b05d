import CoreNetKitSystem

/// Tokens that were taken together and not used yet: the rules, as a value.
package struct TokensInHand: Sendable {
    /// How long they are kept: what nobody uses is missed by the other processes.
    package static let age = Duration.milliseconds(100)

    /// How many there are.
    package private(set) var count = 0
    private var ready = Duration.zero

    package init() {}

    /// How many are taken at once: what one of some processes needs in 10 ms, no more than the burst.
    ///
    /// - Parameters:
    ///   - rate: How many a second all may send.
    ///   - processes: How many share them.
    ///   - burst: The most that can be taken at once.
    /// - Returns: At least 1.
    package static func size(rate: Double, processes: Int, burst: Int) -> Int {
        let share = rate * 0.01 / Double(max(1, processes))
        return share < 1 ? 1 : min(burst, Int(min(share, 1_000_000)))
    }

    /// Takes one.
    ///
    /// - Returns: When it may be used; `nil` where there is none, or none that is not too old.
    package mutating func take(at now: Duration) -> Duration? {
        if now > ready + Self.age { count = 0 }
        guard count > 0 else { return nil }
        count -= 1
        return ready
    }

    /// Keeps tokens that may be used from a time on; those that are there come to the same age.
    package mutating func keep(_ more: Int, ready time: Duration, at now: Duration) {
        if now > ready + Self.age { count = 0 }
        guard more > 0 else { return }
        ready = count == 0 ? time : max(ready, time)
        count += more
    }
}
