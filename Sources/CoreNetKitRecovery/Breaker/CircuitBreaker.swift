public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Stops calls to a failing server, and tries it again after a pause.
///
/// Create one for each server and pass it to a ``Client`` or to builders. While closed, it counts the calls and
/// failures of the last window; when the share of failures reaches the ratio, it opens: calls fail at once with
/// `circuitOpen`. After the pause one call is sent as a probe; its success closes the circuit, its failure opens it
/// again.
public final class CircuitBreaker: Sendable {
    /// The decision about a call.
    enum Admission: Equatable {
        /// Proceed, and report under this number.
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
        /// Calls and failures while it is closed.
        var calls: RollingCounts
        /// Changes with each state, so that calls of an earlier state report nothing.
        var number = 0

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
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    public let problem: String?

    /// Creates a closed circuit.
    ///
    /// - Parameters:
    ///   - ratio: The share of failed calls that opens it, above 0 and at most 1.
    ///   - minimumCalls: The minimum number of calls for a decision, above zero.
    ///   - window: The time over which calls are counted, above zero.
    ///   - pause: How long it stays open, above zero.
    ///   - counts: Which errors are the server's failure; statuses from 500 on and failures of the wire by default.
    public init(
        ratio: Double = 0.5,
        minimumCalls: Int = 10,
        window: Duration = .seconds(10),
        pause: Duration = .seconds(10),
        counts: @escaping @Sendable (NetworkError) -> Bool = { CircuitBreaker.isServerFailure($0) }
    ) {
        state = Locked(State(calls: RollingCounts(over: window.bounded)))
        self.ratio = ratio
        self.minimumCalls = minimumCalls
        self.window = window.bounded
        self.pause = pause.bounded
        self.counts = counts
        if !(ratio > 0 && ratio <= 1) {
            problem = "the breaker's ratio of \(ratio) is not above 0 and at most 1"
        } else if minimumCalls < 1 {
            problem = "the breaker's minimum of \(minimumCalls) calls is not above zero"
        } else {
            problem =
                window <= .zero || pause <= .zero
                ? "the breaker's window of \(window) and pause of \(pause) are not above zero" : nil
        }
    }

    /// Whether calls are rejected; also while a probe is running.
    public var isOpen: Bool {
        state.withLock { if case .closed = $0.circuit { false } else { true } }
    }

    /// Statuses from 500 on, failures of the wire, and deadlines that passed during an exchange.
    public static func isServerFailure(_ error: NetworkError) -> Bool {
        if let status = error.status { return status >= 500 }
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

    /// A call that was let through has ended.
    ///
    /// - Returns: Whether the circuit opened with it.
    func end(_ number: Int, _ report: Report, at now: Duration) -> Bool {
        state.withLock { state in
            guard state.number == number else { return false }
            switch (state.circuit, report) {
            case (.closed, .neither), (.open, _): return false
            case (.closed, _):
                state.calls.addFirst(at: now)
                guard report == .failure else { return false }
                state.calls.addSecond(at: now)
                guard state.calls.firstSum >= minimumCalls,
                    Double(state.calls.secondSum) >= ratio * Double(state.calls.firstSum)
                else { return false }
                state.become(.open(until: now + pause))
                return true
            case (.halfOpen, .success):
                state.calls = RollingCounts(over: window)
                state.become(.closed)
                return false
            case (.halfOpen, .failure):
                state.become(.open(until: now + pause))
                return true
            case (.halfOpen, .neither):
                state.become(.halfOpen(isProbing: false))
                return false
            }
        }
    }
}
