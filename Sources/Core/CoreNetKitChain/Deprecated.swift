// Names of before 1.0, each with a fix-it.

/// The former name of `SessionDataOwner`.
@available(*, deprecated, renamed: "SessionDataOwner")
public typealias SessionKeeper = SessionDataOwner

// An owner implements the new names or the former ones; the compiler warns where it implements neither, or the former ones. The
// defaults of the former names call nothing, so that an owner with neither fails at a sign-out instead of recursing.
extension SessionDataOwner {
    /// The kind of its data, of an owner that implements the former name.
    @available(*, deprecated, message: "implement 'kind' instead of 'kept'")
    public var kind: SignOut.Kind { kept }

    /// Removes a user's data, of an owner that implements the former name.
    @available(*, deprecated, message: "implement 'removeData(of:)' instead of 'letGo(of:)'")
    public func removeData(of session: Partition.Session) async throws { try await letGo(of: session) }

    /// The former name of ``kind``.
    @available(*, deprecated, renamed: "kind")
    public var kept: SignOut.Kind { SignOut.Kind("unnamed") }

    /// The former name of ``removeData(of:)``.
    @available(*, deprecated, renamed: "removeData(of:)")
    public func letGo(of session: Partition.Session) async throws {
        throw NetworkError(.invalidChain, "\(type(of: self)) does not implement 'removeData(of:)'", node: "SignOut")
    }
}

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
