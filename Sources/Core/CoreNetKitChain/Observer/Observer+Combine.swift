extension Observer {
    /// Pairs the models of two calls that run at the same time.
    ///
    /// - Parameter other: The second call.
    /// - Returns: An observer of both models. The first error becomes its error; the other call continues with its result
    ///   ignored until it is cancelled. Cancelling any of them cancels all.
    public func combine<T: Sendable>(_ other: Observer<T>) -> Observer<(Model, T)> {
        let joined = core.join(other.core, failsFast: true) { first, second in
            if case .success(let first) = first, case .success(let second) = second {
                .success(of: (first.model(Model.self), second.model(T.self)))
            } else {
                nil
            }
        }
        return Observer<(Model, T)>(core: joined)
    }

    /// Pairs the models of two calls that run at the same time; one of them may fail.
    ///
    /// - Parameter other: The second call.
    /// - Returns: An observer of both models, `nil` for the one that failed. When both fail it has the error of `other`.
    ///   Cancelling any of them cancels all.
    public func combineTolerance<T: Sendable>(_ other: Observer<T>) -> Observer<(Model?, T?)> {
        let joined = core.join(other.core, failsFast: false) { first, second in
            if case .failure = first, case .failure(let error) = second { return .failure(error) }
            return .success(of: (try? first.get(Model.self), try? second.get(T.self)))
        }
        return Observer<(Model?, T?)>(core: joined)
    }
}
