/// Who tells other processes that a circuit has opened here, and hears of theirs: a hint, never more.
///
/// A circuit that others could open would let one process with a bad network stop all of them.
package protocol BreakerHints: Sendable {
    /// What is wrong with the settings, on one line.
    var problem: String? { get }

    /// This process's circuit has opened; must be quick.
    ///
    /// - Parameters:
    ///   - cause: What made it open.
    ///   - pause: How long it stays open.
    func opened(by cause: BreakerCause, for pause: Duration)

    /// A call has failed here and the circuit is closed: finds out beside the call whether others have opened theirs.
    ///
    /// - Parameters:
    ///   - now: The time of the call's clock.
    ///   - hear: Told where they have, with how long that counts.
    func failed(at now: Duration, _ hear: @escaping @Sendable (Duration) -> Void)
}

/// Why a circuit has opened.
package enum BreakerCause: Sendable {
    /// What its own calls have shown.
    case calls
    /// The same, with fewer of them, since others have opened theirs.
    case hint
}
