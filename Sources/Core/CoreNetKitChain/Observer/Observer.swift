/// Follows one call: a caller holds it to learn how the call ends, and to cancel it.
///
/// Any number of listeners may subscribe; they are called in the order they subscribed. A late subscriber receives the
/// last outcome. Every outcome calls `onCompleted` or `onError` and then `defer`; a cancellation calls `onCanceled` and
/// then `defer`. A closure isolated to an actor is called on it, every other one on the delivery queue: the main queue,
/// unless the builder or `dispatchOn(_:)` says otherwise. An observer that is not kept still delivers.
public class Observer<Model: Sendable>: CancelableContext, @unchecked Sendable {
    // Unchecked only because the class has a subclass; `core`, the only stored property, is `Sendable`.
    package let core: ObserverCore

    package init(core: ObserverCore) { self.core = core }

    deinit {
        if core.isDerived { core.change { $0.observerWasReleased(&$1) } }
    }

    /// Calls a closure with every model.
    @discardableResult
    public func onCompleted(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Model) -> Void
    ) -> Self {
        core.subscribe(.completed, on: listener.isolation) { event in
            if case .outcome(.success(let box), _) = event { await listener(ModelBox.model(of: box)) }
        }
        return self
    }

    /// Calls a closure with every error; a cancellation is not an error.
    @discardableResult
    public func onError(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (any Error) -> Void
    ) -> Self {
        core.subscribe(.failed, on: listener.isolation) { event in
            if case .outcome(.failure(let error), _) = event { await listener(error) }
        }
        return self
    }

    /// Calls a closure with every error, as a `NetworkError`.
    ///
    /// Chosen for closures that name the type: `onError { (error: NetworkError) in … }`. An error of another type, such
    /// as one thrown in an operator, becomes the cause of a `nodeFailed`.
    @_disfavoredOverload
    @discardableResult
    public func onError(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (NetworkError) -> Void
    ) -> Self {
        core.subscribe(.failed, on: listener.isolation) { event in
            guard case .outcome(.failure(let error), _) = event,
                let error = NetworkError.wrapping(error, node: "Observer")
            else { return }
            await listener(error)
        }
        return self
    }

    /// Calls a closure with every error of one type, such as the error model of a client, and not with others.
    ///
    /// Chosen for closures that name a type other than `any Error` and `NetworkError`: `onError { (error: APIError) in … }`.
    /// For cancellations there is ``onCanceled(_:)``.
    @_disfavoredOverload
    @discardableResult
    public func onError<Failure: Error>(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Failure) -> Void
    ) -> Self {
        core.subscribe(.failed, on: listener.isolation) { event in
            if case .outcome(.failure(let error as Failure), _) = event { await listener(error) }
        }
        return self
    }

    /// Calls a closure after every outcome and after a cancellation, when all other listeners were called.
    @discardableResult
    public func `defer`(@_inheritActorContext _ listener: @escaping @isolated(any) @Sendable () -> Void) -> Self {
        core.subscribe(.ended, on: listener.isolation) { _ in await listener() }
        return self
    }

    /// Calls a closure when the call is cancelled.
    @discardableResult
    public func onCanceled(@_inheritActorContext _ listener: @escaping @isolated(any) @Sendable () -> Void) -> Self {
        core.subscribe(.cancelled, on: listener.isolation) { _ in await listener() }
        return self
    }

    /// Cancels the call up to the wire, and with it every observer derived from the same source.
    ///
    /// This is final: listeners that were not called yet receive `onCanceled`, never a model. Does nothing once a
    /// listener was called with the only or last outcome.
    @discardableResult
    public func cancel() -> Self {
        core.cancel()
        return self
    }

    /// Ends this observer without ending its source, for example when one of several screens that share a call closes.
    ///
    /// Its listeners, and those of the observers derived from it, receive `onCanceled` and `defer`; the call and its
    /// other observers continue. Does nothing once the last outcome was emitted.
    @discardableResult
    public func detach() -> Self {
        core.detach()
        return self
    }

    /// Removes the listeners of this observer; the call and the observers derived from this one continue.
    @discardableResult
    public func unsubscribe() -> Self {
        core.change { $0.unsubscribe(&$1) }
        return self
    }
}
