// Names of 0.2, each with a fix-it.

extension NetworkError {
    /// The former name of ``node``.
    @available(*, deprecated, renamed: "node")
    public var stage: NodeID {
        get { node }
        set { node = newValue }
    }

    /// Creates an error, with the former label of its node.
    @available(*, deprecated, renamed: "init(_:_:node:response:cause:)")
    public init(
        _ code: Code,
        _ message: String,
        stage: NodeID,
        response: FailedResponse? = nil,
        cause: (any Error)? = nil
    ) {
        self.init(code, message, node: stage, response: response, cause: cause)
    }
}

extension CallEvent.Wait.Kind {
    /// The former name of ``concurrency``.
    @available(*, deprecated, renamed: "concurrency")
    public static var place: Self { .concurrency }
}

extension Observer {
    /// The former name of ``flatMap(_:)``.
    @available(*, deprecated, renamed: "flatMap(_:)")
    public func map<T: Sendable>(
        @_inheritActorContext _ next: @escaping @isolated(any) @Sendable (Model) async throws -> Observer<T>
    ) -> Observer<T> {
        flatMap(next)
    }

    /// The former name of ``flatMapError(_:)``.
    @available(*, deprecated, renamed: "flatMapError(_:)")
    public func mapError(
        @_inheritActorContext _ recover: @escaping @isolated(any) @Sendable (any Error) async throws -> Observer<Model>
    ) -> Observer<Model> {
        flatMapError(recover)
    }
}
