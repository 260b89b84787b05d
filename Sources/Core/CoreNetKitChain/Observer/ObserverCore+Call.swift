extension ObserverCore {
    /// Runs the closure of an operator in a separate task, which is cancelled with this core: a closure may wait for
    /// another call, which must then end on the wire.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the closure is isolated to.
    ///   - work: Calls the closure; not started once this core has ended.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or `CancellationError`.
    func call<Value: Sendable>(
        on isolation: (any Actor)?,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard isOpen else { throw CancellationError() }
        let task = begin(isolation == nil ? executor : nil) {
            // The task may start later, on a system without immediate tasks.
            try Task.checkCancellation()
            return try await work()
        }
        let handler = ObserverCore.newSubscription()
        add(source: State.Source(subscription: handler, handler: { task.cancel() }))
        defer { removeHandler(handler) }
        return try await task.value
    }

    private func begin<Value: Sendable>(
        _ executor: DeliveryExecutor?,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        if #available(macOS 26.4, iOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            return .immediate(executorPreference: executor, operation: work)
        }
        return Task(executorPreference: executor, operation: work)
    }
}
