// `let chain = builder.build()` names no types and is a chain without a result. These overloads are chosen only where one is
// expected, and explain the fix.
extension Chain where Input == Void, Output == Void {
    /// Explains the fix when a result is expected of a chain without one.
    @available(*, unavailable, message: "this chain has no result; name its type: 'let chain: Chain<Void, User> = ...'")
    @_disfavoredOverload
    public func call<Value: Decodable>() async throws -> Value { throw CancellationError() }

    /// Explains the fix when a result is expected of a chain without one.
    @available(*, unavailable, message: "this chain has no result; name its type: 'let chain: Chain<Void, User> = ...'")
    @_disfavoredOverload
    public func observe<Value: Decodable>() -> Observer<Value> { .emit(error: CancellationError()) }

    /// Explains the fix when a result is expected of a chain without one.
    @available(*, unavailable, message: "this chain has no result; name its type: 'let chain: Chain<Void, User> = ...'")
    @_disfavoredOverload
    public func process<Value: Decodable>() async throws -> Value { throw CancellationError() }

    /// Explains the fix when a result is expected of a chain without one.
    @available(*, unavailable, message: "this chain has no result; name its type: 'let chain: Chain<Void, User> = ...'")
    @_disfavoredOverload
    public func process<Value: Decodable>() -> Observer<Value> { .emit(error: CancellationError()) }
}
