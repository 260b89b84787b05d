// A call for which no result type was named is a call without a result. Closures that expect one are told so here.
extension Observer where Model == Void {
    /// Calls a closure when the call has succeeded.
    @discardableResult
    public func onCompleted(@_inheritActorContext _ listener: @escaping @isolated(any) @Sendable () -> Void) -> Self {
        core.subscribe(.completed, on: listener.isolation) { event in
            if case .outcome(.success, _) = event { await listener() }
        }
        return self
    }

    /// Calls a closure with the empty result; a closure with a parameter usually expects a model.
    @available(*, deprecated, message: "this call has no result: name its type, as in 'Observer<User>', or write '{ }'")
    @discardableResult
    public func onCompleted(@_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (()) -> Void) -> Self {
        core.subscribe(.completed, on: listener.isolation) { event in
            if case .outcome(.success, _) = event { await listener(()) }
        }
        return self
    }

    /// Explains the fix when a closure uses a member of the result that this call does not have.
    @available(*, unavailable, message: "this call has no result: name its type: 'let call: Observer<User> = ...'")
    @_disfavoredOverload
    @discardableResult
    public func onCompleted(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (NoResult) -> Void
    ) -> Self { self }

    /// Explains the fix when a closure uses the result that this call does not have as a value of some type.
    @available(*, unavailable, message: "this call has no result: name its type: 'let call: Observer<User> = ...'")
    @_disfavoredOverload
    @discardableResult
    public func onCompleted<Value: Decodable>(
        @_inheritActorContext _ listener: @escaping @isolated(any) @Sendable (Value) -> Void
    ) -> Self { self }
}

/// The result that a call without one is asked for; has every member, so that the compiler can explain the fix.
@dynamicMemberLookup
public enum NoResult: Sendable {
    /// Never read, because there is no value.
    public subscript<Member>(dynamicMember name: String) -> Member { switch self {} }
}
