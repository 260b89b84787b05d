package import Dispatch

/// An observer with methods to emit: the source of a call.
///
/// It may emit several times, until ``complete(data:)``, ``complete(error:)`` or ``finish()`` ends it, or it is cancelled
/// or released. When a context ends without an outcome, its observers are cancelled, so that no observer waits forever.
public final class Context<Model: Sendable>: Observer<Model>, @unchecked Sendable {
    /// Creates a context that delivers on the main queue.
    public init() { super.init(core: ObserverCore(executor: .main)) }

    /// Creates a context that calls a closure when it is cancelled: once, on the thread that cancels.
    public convenience init(onCancel: @escaping @Sendable () -> Void) {
        self.init()
        self.onCancel(onCancel)
    }

    package init(deliverOn queue: DispatchQueue) {
        super.init(core: ObserverCore(executor: .on(queue)))
    }

    deinit { core.finish() }

    /// Emits a model; does nothing after `cancel()`.
    @discardableResult
    public func emit(data: Model) -> Self {
        core.emit(.success(of: data))
        return self
    }

    /// Emits an error, or cancels if it is a `CancellationError`; does nothing after `cancel()`.
    @discardableResult
    public func emit(error: any Error) -> Self {
        core.emit(.failure(error))
        return self
    }

    /// Emits the only or last model: a later `cancel()` has no effect, and listeners are released after they were called.
    @discardableResult
    public func complete(data: Model) -> Self {
        core.emit(.success(of: data), ending: .max)
        return self
    }

    /// Emits the only or last outcome, an error, or cancels if it is a `CancellationError`.
    @discardableResult
    public func complete(error: any Error) -> Self {
        core.emit(.failure(error), ending: .max)
        return self
    }

    /// Ends the emissions: the last outcome stays, and without one the observers are cancelled.
    @discardableResult
    public func finish() -> Self {
        core.finish()
        return self
    }

    package func complete(_ outcome: Result<Model, any Error>) {
        core.emit(ObserverOutcome(outcome), ending: .max)
    }

    /// Calls `handler` when this context is cancelled, at once if it already is; releases the handler when the call has
    /// ended.
    package func onCancel(_ handler: @escaping @Sendable () -> Void) {
        core.add(source: .init(handler: handler))
    }
}

extension Observer {
    /// Creates an observer that already has its only model.
    public static func emit(data: Model) -> Context<Model> { Context().complete(data: data) }

    /// Creates an observer that has already failed.
    public static func emit(error: any Error) -> Context<Model> { Context().complete(error: error) }

    /// Starts asynchronous work and returns the observer of its one outcome: the bridge from `async` to observers.
    ///
    /// The work runs on its own actor or off the main thread, and to its end even if the observer is not kept.
    /// `cancel()` cancels its task; after the result was delivered, `cancel()` has no effect. A `CancellationError`
    /// that it throws cancels the observer.
    public static func run(
        priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ work: @escaping @isolated(any) @Sendable () async throws -> Model
    ) -> Observer<Model> {
        let context = Context<Model>()
        // Not detached, so that the work keeps the refresh scope and other task-local values.
        let task = Task(priority: priority) {
            do {
                context.complete(data: try await work())
            } catch {
                context.complete(error: error)
            }
        }
        context.onCancel { task.cancel() }
        return context
    }
}
