extension Observer {
    /// Changes every model; an error that the closure throws becomes the outcome.
    public func map<T: Sendable>(
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (Model) async throws -> T
    ) -> Observer<T> {
        core.derive(on: transform.isolation) { outcome, ending, derived in
            let model: Model = try outcome.get()
            let changed = try await derived.call(on: transform.isolation) { try await transform(model) }
            derived.emit(.success(of: changed), ending: ending)
        }
    }

    /// Starts another call for every model; an error that the closure throws becomes the outcome.
    ///
    /// Cancelling the observer of the second call cancels both.
    public func flatMap<T: Sendable>(
        @_inheritActorContext _ next: @escaping @isolated(any) @Sendable (Model) async throws -> Observer<T>
    ) -> Observer<T> {
        core.derive(on: next.isolation) { outcome, ending, derived in
            let model: Model = try outcome.get()
            try derived.follow(call: try await derived.call(on: next.isolation) { try await next(model) }.core)
            if ending > 0 { derived.finish() }
        }
    }

    /// Starts another call for every model, and keeps both models.
    ///
    /// An error that the closure throws becomes the outcome, and `nil` (as from `self?.load()`) cancels. Cancelling the
    /// observer cancels both calls.
    public func chain<T: Sendable>(
        @_inheritActorContext with next: @escaping @isolated(any) @Sendable (Model) async throws -> Observer<T>?
    ) -> Observer<(Model, T)> {
        core.derive(on: next.isolation) { outcome, ending, derived in
            let model: Model = try outcome.get()
            let following = try await derived.call(on: next.isolation) { try await next(model) }
            guard let following else { throw CancellationError() }
            try derived.follow(call: following.core) { outcome in
                ObserverOutcome(outcome.result(T.self).map { (model, $0) })
            }
            if ending > 0 { derived.finish() }
        }
    }

    /// Keeps the elements that satisfy a condition; an error that the closure throws becomes the outcome.
    public func filter<T: Sendable>(
        @_inheritActorContext _ isIncluded: @escaping @isolated(any) @Sendable (T) async throws -> Bool
    ) -> Observer<[T]> where Model == [T] {
        core.derive(on: isIncluded.isolation) { outcome, ending, derived in
            let all = try outcome.get([T].self)
            let kept = try await derived.call(on: isIncluded.isolation) {
                var kept: [T] = []
                for model in all where try await isIncluded(model) { kept.append(model) }
                return kept
            }
            derived.emit(.success(of: kept), ending: ending)
        }
    }
}
