public import Dispatch

extension Observer {
    /// Calls all that comes after on another queue; closures written in an actor stay there.
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

    /// Returns the receiver: every observer takes any number of listeners.
    ///
    /// - Returns: The receiver.
    public func multicast() -> Observer<Model> {
        self
    }

    /// Hands the observer to a closure, as to subscribe in the middle of an expression.
    ///
    /// - Parameter body: Called at once.
    /// - Returns: The receiver.
    @discardableResult
    public func process(_ body: (Observer<Model>) -> Void) -> Self {
        body(self)
        return self
    }
}
