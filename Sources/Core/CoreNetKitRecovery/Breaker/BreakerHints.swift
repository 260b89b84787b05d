/// Tells other processes that a circuit has opened here, and reports theirs: only as a hint.
///
/// If other processes could open a circuit directly, one process with a bad network would stop all of them.
package protocol BreakerHints: Sendable {
    /// The problem of the settings, on one line.
    var problem: String? { get }

    /// Called when this process's circuit has opened; must be quick.
    ///
    /// - Parameters:
    ///   - cause: Why it opened.
    ///   - pause: How long it stays open.
    func opened(by cause: BreakerCause, for pause: Duration)

    /// Called when a call has failed here while the circuit is closed: checks, off the call's path, whether others have
    /// opened theirs.
    ///
    /// - Parameters:
    ///   - now: The current time, on the call's clock.
    ///   - onHint: Called if they have, with how long the hint is valid.
    func failed(at now: Duration, _ onHint: @escaping @Sendable (Duration) -> Void)
}

/// Why a circuit opened.
package enum BreakerCause: Sendable {
    /// Failures of its own calls.
    case calls
    /// Fewer such failures, after other processes have opened their circuits.
    case hint
}
