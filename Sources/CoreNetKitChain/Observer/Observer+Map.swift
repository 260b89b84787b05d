extension Observer {
    /// Changes every model.
    ///
    /// - Parameter transform: Called on its own actor, or on the delivery queue; what it throws becomes the error.
    /// - Returns: An observer of the changed model.
    public func map<T: Sendable>(
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (Model) throws -> T
    ) -> Observer<T> {
        let derived = core.derive(on: transform.isolation) { outcome, ending, derived in
            do {
                derived.emit(.success(of: try await transform(outcome.get())), ending: ending)
            } catch {
                derived.emit(.failure(error), ending: ending)
            }
        }
        return Observer<T>(core: derived)
    }

    /// Follows every model with another call.
    ///
    /// - Parameter next: Starts the call, on its own actor or on the delivery queue; what it throws becomes the error.
    /// - Returns: An observer of the second call; cancelling it cancels both.
    public func map<T: Sendable>(
        @_inheritActorContext _ next: @escaping @isolated(any) @Sendable (Model) throws -> Observer<T>
    ) -> Observer<T> {
        let derived = core.derive(on: next.isolation) { outcome, ending, derived in
            do {
                derived.follow(try await next(outcome.get()).core)
                if ending > 0 { derived.finish() }
            } catch {
                derived.emit(.failure(error), ending: ending)
            }
        }
        return Observer<T>(core: derived)
    }

    /// Follows every model with another call, and keeps both models.
    ///
    /// - Parameter next: Starts the call, on its own actor or on the delivery queue; what it throws becomes the error,
    ///   and `nil` (as from `self?.load()`) cancels.
    /// - Returns: An observer of both models; cancelling it cancels both calls.
    public func chain<T: Sendable>(
        @_inheritActorContext with next: @escaping @isolated(any) @Sendable (Model) throws -> Observer<T>?
    ) -> Observer<(Model, T)> {
        let derived = core.derive(on: next.isolation) { outcome, ending, derived in
            do {
                let model: Model = try outcome.get()
                guard let following = try await next(model) else { throw CancellationError() }
                derived.follow(following.core) { outcome in Outcome(outcome.result(T.self).map { (model, $0) }) }
                if ending > 0 { derived.finish() }
            } catch {
                derived.emit(.failure(error), ending: ending)
            }
        }
        return Observer<(Model, T)>(core: derived)
    }

    /// Keeps the elements that fulfil a condition.
    ///
    /// - Parameter isIncluded: Called on its own actor, or on the delivery queue; what it throws becomes the error.
    /// - Returns: An observer of the elements that are left.
    public func filter<T: Sendable>(
        @_inheritActorContext _ isIncluded: @escaping @isolated(any) @Sendable (T) throws -> Bool
    ) -> Observer<[T]> where Model == [T] {
        let derived = core.derive(on: isIncluded.isolation) { outcome, ending, derived in
            do {
                var kept: [T] = []
                for model in try outcome.get([T].self) where try await isIncluded(model) { kept.append(model) }
                derived.emit(.success(of: kept), ending: ending)
            } catch {
                derived.emit(.failure(error), ending: ending)
            }
        }
        return Observer<[T]>(core: derived)
    }
}
