// `process` with JSON literals as input, whose values may be of different types: ["max": 20, "all": true].
extension Chain where Input == Json {
    /// Calls the chain and waits for its value.
    ///
    /// - Parameter input: The input of the first node; a literal may contain values of any kind.
    /// - Returns: The output of the first node.
    /// - Throws: ``NetworkError``, or `CancellationError` when the task was cancelled.
    public func process(_ input: Json) async throws -> Output { try await run(input) }

    /// Starts a call and returns its observer.
    ///
    /// - Parameter input: The input of the first node; a literal may contain values of any kind.
    /// - Returns: The observer of this call.
    @discardableResult
    public func process(_ input: Json) -> Observer<Output> { start(input) }
}
