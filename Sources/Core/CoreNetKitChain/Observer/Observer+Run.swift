extension Observer {
    /// Starts asynchronous work and returns the observer of its result: the bridge from `async` to observers.
    ///
    /// The work runs to its end even if the observer is not kept. `cancel()` cancels its task; after the result was
    /// delivered, `cancel()` has no effect. A `CancellationError` that the work throws cancels the observer.
    ///
    /// - Parameters:
    ///   - priority: The priority of the work's task.
    ///   - work: Runs on its own actor, or off the main thread.
    /// - Returns: An observer that has exactly one outcome.
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
        context.onCancelUpstream { task.cancel() }
        return context
    }
}
