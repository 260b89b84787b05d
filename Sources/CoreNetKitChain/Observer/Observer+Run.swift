extension Observer {
    /// Starts asynchronous work and gives the observer of its result: the bridge from `async` to observers.
    ///
    /// The work runs to its end even when nobody keeps the observer. `cancel()` cancels its task; once the result was
    /// told, `cancel()` is silent. A `CancellationError` that the work throws cancels.
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
        // Not detached: work of a token refresh stays known as such.
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
