import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitSystem

/// Remembers which calls of a key came last, for `debounce` and `throttle`.
///
/// Make one where the calls come from, a screen or a service, and keep it: chains that share it and a key pace each
/// other. A call that gives way ends as cancelled.
public final class Debouncer: Sendable {
    private struct State: Sendable {
        var waiting: [String: Waiter<Void>] = [:]
        /// When the next call of a key passes.
        var closed: [String: Duration] = [:]
    }

    private let state = Locked(State())

    /// Creates a debouncer that remembers nothing.
    public init() {}

    /// Lets a call wait in place of the one before it, which is cancelled.
    func replace(_ key: String, with caller: Waiter<Void>) {
        let previous = state.withLock { $0.waiting.updateValue(caller, forKey: key) }
        previous?.resume(.failure(CancellationError()))
    }

    /// A call does not wait any more.
    func leave(_ key: String, _ caller: Waiter<Void>) {
        state.withLock { if $0.waiting[key] == caller { $0.waiting[key] = nil } }
    }

    /// Whether no call of the key has passed for the interval; if so, this one has.
    func pass(_ key: String, every interval: Duration, at now: Duration) -> Bool {
        state.withLock { state in
            if let end = state.closed[key], now < end { return false }
            // Keys may be many: what is open again is forgotten.
            if state.closed.count > 64 { state.closed = state.closed.filter { now < $0.value } }
            state.closed[key] = now + interval
            return true
        }
    }
}
