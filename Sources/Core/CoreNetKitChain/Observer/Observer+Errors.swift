extension Observer {
    /// Replaces every error by another one; a `CancellationError` as the new error cancels the observer.
    public func mapError(
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (any Error) async -> any Error
    ) -> Observer<Model> {
        replacingErrors(by: transform)
    }

    /// Replaces every `NetworkError`, for closures that name this type; an error of another type is unchanged.
    ///
    /// A `CancellationError` as the new error cancels the observer.
    @_disfavoredOverload
    public func mapError(
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (NetworkError) async -> any Error
    ) -> Observer<Model> {
        replacingErrors(by: transform)
    }

    private func replacingErrors<Failure: Error>(
        by transform: @escaping @isolated(any) @Sendable (Failure) async -> any Error
    ) -> Observer<Model> {
        core.derive(on: transform.isolation) { outcome, ending, derived in
            guard case .failure(let error as Failure) = outcome else { return derived.emit(outcome, ending: ending) }
            let changed = try? await derived.call(on: transform.isolation) { await transform(error) }
            derived.emit(.failure(changed ?? CancellationError()), ending: ending)
        }
    }

    /// Recovers from every error with another call; an error that the closure throws becomes the new error.
    ///
    /// The observer has the models of both; cancelling it cancels both.
    public func flatMapError(
        @_inheritActorContext _ recover: @escaping @isolated(any) @Sendable (any Error) async throws -> Observer<Model>
    ) -> Observer<Model> {
        core.derive(on: recover.isolation) { outcome, ending, derived in
            guard case .failure(let error) = outcome else { return derived.emit(outcome, ending: ending) }
            try derived.follow(call: try await derived.call(on: recover.isolation) { try await recover(error) }.core)
            if ending > 0 { derived.finish() }
        }
    }

    /// Handles the errors of one type here, and hides them from later listeners.
    ///
    /// A handled error ends the returned observer in cancellation (`onCanceled`, then `defer`), because it has no
    /// outcome to deliver; its source is not cancelled. To continue with a call instead, use `flatMapError`.
    public func catchError<E: Error>(
        @_inheritActorContext _ handler: @escaping @isolated(any) @Sendable (E) async -> Void
    ) -> Observer<Model> {
        core.derive(on: handler.isolation) { outcome, ending, derived in
            guard case .failure(let error as E) = outcome else { return derived.emit(outcome, ending: ending) }
            try? await derived.call(on: handler.isolation) { await handler(error) }
            derived.detach()
        }
    }
}
