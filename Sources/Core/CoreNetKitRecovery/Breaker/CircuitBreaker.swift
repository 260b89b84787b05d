public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Stops calls to a failing server, and tries it again after a pause.
///
/// Create one for each server and pass it to a ``Client`` or to builders. While closed, it counts the calls and failures
/// of the last window; when the share of failures reaches the ratio, it opens: calls fail at once with `circuitOpen`.
/// After the pause one call is sent as a probe; its success closes the circuit, its failure opens it again.
/// `CoreNetKitFleet` can create one that uses the circuits of other processes as a hint.
public final class CircuitBreaker: Sendable {
    enum Admission: Equatable {
        case passes(Int)
        case refused(wait: Duration?)
    }

    enum Report {
        case success, failure
        /// Cancelled, or rejected on this side: not the server's failure.
        case neither
    }

    private enum Circuit: Sendable {
        case closed
        case open(until: Duration)
        case halfOpen(isProbing: Bool)
    }

    private struct State: Sendable {
        var circuit = Circuit.closed
        var counts: RollingCounts
        /// Changes with each state, so that calls of an earlier state report nothing.
        var number = 0
        /// Until when a hint of other processes is valid.
        var hintedUntil: Duration?

        mutating func become(_ circuit: Circuit) {
            self.circuit = circuit
            number += 1
        }
    }

    private let state: Locked<State>
    private let ratio: Double
    private let minimumCalls: Int
    private let window: Duration
    private let pause: Duration
    private let counts: @Sendable (NetworkError) -> Bool
    private let hints: (any BreakerHints)?
    package let settingsProblem: String?

    /// Creates a closed circuit.
    ///
    /// - Parameters:
    ///   - ratio: The share of failed calls that opens it, above 0 and at most 1.
    ///   - minimumCalls: The minimum number of calls for a decision, above zero.
    ///   - window: The time over which calls are counted, above zero.
    ///   - pause: How long it stays open, above zero.
    ///   - counts: Which errors are the server's failure; statuses from 500 on and failures of the wire by default.
    public convenience init(
        ratio: Double = 0.5,
        minimumCalls: Int = 10,
        window: Duration = .seconds(10),
        pause: Duration = .seconds(10),
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.isServerFailure($0) }
    ) { self.init(ratio, minimumCalls, window: window, pause: pause, counts: counts, hints: nil) }

    package init(
        _ ratio: Double,
        _ minimumCalls: Int,
        window: Duration,
        pause: Duration,
        counts: @escaping @Sendable (NetworkError) -> Bool,
        hints: (any BreakerHints)?
    ) {
        state = Locked(State(counts: RollingCounts(over: window.bounded)))
        (self.hints, self.ratio, self.minimumCalls) = (hints, ratio, minimumCalls)
        self.window = window.bounded
        self.pause = pause.bounded
        self.counts = counts
        if !(ratio > 0 && ratio <= 1) {
            settingsProblem = "the breaker's ratio of \(ratio) is not above 0 and at most 1"
        } else if minimumCalls < 1 {
            settingsProblem = "the breaker's minimum of \(minimumCalls) calls is not above zero"
        } else {
            settingsProblem =
                window <= .zero || pause <= .zero
                ? "the breaker's window of \(window) and pause of \(pause) are not above zero" : hints?.problem
        }
    }

    /// Whether calls are rejected; also while a probe is running.
    public var isOpen: Bool {
        state.withLock { if case .closed = $0.circuit { false } else { true } }
    }

    /// Statuses from 500 on, failures of the wire, and deadlines that passed during an exchange.
    public static func isServerFailure(_ error: NetworkError) -> Bool {
        if let refusal = error.refusal { return refusal.status >= 500 }
        if error.code == .deadlineExceeded { return error.phase.map { $0 != .queue } ?? false }
        return error.isRetryable
    }

    func report(of error: any Error) -> Report {
        guard let failure = error as? NetworkError else { return .neither }
        if counts(failure) { return .failure }
        // Any other response shows that the server is working.
        return failure.response == nil ? .neither : .success
    }

    func admit(at now: Duration) -> Admission {
        state.withLock { state in
            switch state.circuit {
            case .closed: return .passes(state.number)
            case .open(let end) where now < end: return .refused(wait: end - now)
            case .halfOpen(isProbing: true): return .refused(wait: nil)
            case .open, .halfOpen:
                state.become(.halfOpen(isProbing: true))
                return .passes(state.number)
            }
        }
    }

    /// Ends a call that was admitted; returns whether the circuit opened because of it.
    func end(_ number: Int, _ report: Report, on clock: CallClock) -> Bool {
        let now = clock.now
        let (cause, mayHint) = state.withLock { take(report, of: number, at: now, in: &$0) }
        if let cause {
            hints?.opened(by: cause, for: pause)
        } else if mayHint {
            hints?.failed(at: clock.now) { [weak self] life in self?.receiveHint(for: life, at: clock.now) }
        }
        return cause != nil
    }

    /// The effect of a call that has ended: why the circuit opened, or whether a failure did not suffice for that.
    private func take(
        _ report: Report,
        of number: Int,
        at now: Duration,
        in state: inout State
    ) -> (cause: BreakerCause?, mayHint: Bool) {
        guard state.number == number else { return (nil, false) }
        switch (state.circuit, report) {
        case (.closed, .neither), (.open, _): return (nil, false)
        case (.closed, _):
            state.counts.add(isFailure: report == .failure, at: now)
            guard report == .failure else { return (nil, false) }
            guard let cause = reason(in: state, at: now) else { return (nil, true) }
            state.become(.open(until: now + pause))
            return (cause, false)
        case (.halfOpen, .success):
            state.counts = RollingCounts(over: window)
            state.become(.closed)
            return (nil, false)
        case (.halfOpen, .failure):
            state.become(.open(until: now + pause))
            return (.calls, false)
        case (.halfOpen, .neither):
            state.become(.halfOpen(isProbing: false))
            return (nil, false)
        }
    }

    // MARK: - Other processes

    /// Why the calls of this process justify opening; with a hint, half as many calls suffice.
    private func reason(in state: State, at now: Duration) -> BreakerCause? {
        let (calls, failures) = (state.counts.calls, state.counts.failures)
        guard failures > 0, Double(failures) >= ratio * Double(calls) else { return nil }
        if calls >= minimumCalls { return .calls }
        let isHinted = state.hintedUntil.map { now < $0 } ?? false
        return isHinted && calls >= (minimumCalls + 1) / 2 ? .hint : nil
    }

    /// Takes a hint that other processes have opened their circuits, and judges the own calls again.
    private func receiveHint(for life: Duration, at now: Duration) {
        let cause = state.withLock { state -> BreakerCause? in
            state.hintedUntil = now + life
            state.counts.advance(to: now)
            guard case .closed = state.circuit, let cause = reason(in: state, at: now) else { return nil }
            state.become(.open(until: now + pause))
            return cause
        }
        if let cause { hints?.opened(by: cause, for: pause) }
    }
}

/// Shares openings with other processes as hints only: one with a bad network must not stop all of them.
package protocol BreakerHints: Sendable {
    var problem: String? { get }

    /// Called when this process's circuit has opened, and stays open for the pause; must be quick.
    func opened(by cause: BreakerCause, for pause: Duration)

    /// Called when a call has failed here while the circuit is closed: checks, off the call's path, whether others have
    /// opened theirs, and reports how long that hint is valid.
    func failed(at now: Duration, _ onHint: @escaping @Sendable (Duration) -> Void)
}

package enum BreakerCause: Sendable {
    /// Failures of its own calls.
    case calls
    /// Fewer such failures, after other processes have opened their circuits.
    case hint
}
