import CoreNetKitHTTP
import CoreNetKitSystem
public import Dispatch

extension Observer {
    /// Delivers to later listeners and operators on another queue; closures written in an actor stay there.
    ///
    /// Does not need the queue of this observer: a program that blocks its main thread gets its callbacks this way.
    ///
    /// - Parameter queue: Where listeners and operator closures run.
    /// - Returns: An observer that delivers on `queue`.
    public func dispatchOn(_ queue: DispatchQueue) -> Observer<Model> {
        let derived = ObserverCore(executor: .on(queue), isDerived: true)
        derived.follow(core)
        derived.finish()
        return Observer(core: derived)
    }

    /// Returns the receiver: every observer supports any number of listeners.
    ///
    /// - Returns: The receiver.
    public func multicast() -> Observer<Model> {
        self
    }

    /// Passes the observer to a closure, for example to subscribe in the middle of an expression.
    ///
    /// - Parameter body: Called at once.
    /// - Returns: The receiver.
    @discardableResult
    public func process(_ body: (Observer<Model>) -> Void) -> Self {
        body(self)
        return self
    }

    /// Waits until there is an outcome or a cancellation and every listener of this observer was called with it, for
    /// tests that check what the listeners did.
    ///
    /// Later listeners, those that were removed by ``unsubscribe()``, and those of derived observers are not waited
    /// for. Cancelling the waiting task ends the wait, and not the call.
    public func delivered() async {
        let waiting = Waiting()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiting.begin(continuation)
                core.subscribe(.waiter, on: nil) { _ in waiting.end() }
            }
        } onCancel: {
            waiting.end()
        }
    }
}

/// One task that waits for one event, which may have come before.
private final class Waiting: Sendable {
    private enum State: Sendable {
        case idle, over
        case parked(CheckedContinuation<Void, Never>)
    }

    private let state = Locked(State.idle)

    func begin(_ continuation: CheckedContinuation<Void, Never>) {
        let isOver = state.withLock { state in
            if case .over = state { return true }
            state = .parked(continuation)
            return false
        }
        if isOver { continuation.resume() }
    }

    func end() {
        let parked = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .over }
            return if case .parked(let continuation) = state { continuation } else { nil }
        }
        parked?.resume()
    }
}
