extension Observer {
    /// Changes every model.
    ///
    /// - Parameter transform: Called on its own actor, or on the delivery queue; what it throws becomes the error.
    /// - Returns: An observer of the changed model.
    public func map<T: Sendable>(
        @_inheritActorContext _ transform: @escaping @isolated(any) @Sendable (Model) throws -> T
    ) -> Observer<T> {
        core.derive(on: transform.isolation) { outcome, ending, derived in
            switch outcome {
            case .success(let model):
                do {
                    derived.emit(.success(try await transform(model)), ending: ending)
                } catch {
                    derived.emit(.failure(error), ending: ending)
                }
            case .failure(let error):
                derived.emit(.failure(error), ending: ending)
            }
        }
    }

    /// Follows every model with another call.
    ///
    /// - Parameter next: Starts the call, on its own actor or on the delivery queue; what it throws becomes the error.
    /// - Returns: An observer of the second call; cancelling it cancels both.
    public func map<T: Sendable>(
        @_inheritActorContext _ next: @escaping @isolated(any) @Sendable (Model) throws -> Observer<T>
    ) -> Observer<T> {
        core.derive(on: next.isolation) { outcome, ending, derived in
            switch outcome {
            case .success(let model):
                do {
                    derived.follow(try await next(model))
                    if ending > 0 { derived.finish() }
                } catch {
                    derived.emit(.failure(error), ending: ending)
                }
            case .failure(let error):
                derived.emit(.failure(error), ending: ending)
            }
        }
    }
}
