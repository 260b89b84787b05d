import CoreNetKitSystem
public import Dispatch

extension Observer {
    /// Delivers to later listeners and operators on another queue; closures isolated to an actor still run on it.
    ///
    /// Does not need the queue of this observer, so a program that blocks its main thread can still receive callbacks.
    public func dispatchOn(_ queue: DispatchQueue) -> Observer<Model> {
        let derived = ObserverCore(executor: .on(queue), isDerived: true)
        derived.follow(core)
        derived.finish()
        return Observer(core: derived)
    }

    /// Returns the receiver, because every observer supports any number of listeners.
    public func multicast() -> Observer<Model> { self }

    /// Passes the observer to a closure, for example to subscribe in the middle of an expression.
    @discardableResult
    public func process(_ body: (Observer<Model>) -> Void) -> Self {
        body(self)
        return self
    }

    /// Waits until every listener of this observer was called with an outcome or a cancellation, for tests that check the
    /// effects of listeners.
    ///
    /// It does not wait for later listeners, those removed by ``unsubscribe()``, or those of derived observers.
    /// Cancelling the waiting task ends the wait, not the call.
    public func delivered() async {
        let waiter = Waiter<Void>()
        core.subscribe(.waiter, on: nil) { _ in waiter.resume(.success(())) }
        try? await waiter.value()
    }
}

/// Runs the deliveries of an observer on a dispatch queue.
package final class DeliveryExecutor: TaskExecutor {
    /// The executor of the main queue, the default of every observer.
    package static let main = DeliveryExecutor(.main)

    private let queue: DispatchQueue

    package init(_ queue: DispatchQueue) { self.queue = queue }

    package static func on(_ queue: DispatchQueue) -> DeliveryExecutor {
        queue === DispatchQueue.main ? .main : DeliveryExecutor(queue)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
