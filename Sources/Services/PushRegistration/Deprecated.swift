import CoreNetKitChain

// Names of 0.2, each with a fix-it.

// A member implements the new names or the former ones. The defaults of the former names call nothing, so that a member with
// neither fails instead of recursing.
extension PushMember {
    /// Stores that a user's registration must be undone, by a member that implements the former name.
    @available(*, deprecated, message: "implement 'unregister(_:)' instead of 'leave(_:)'")
    public func unregister(_ user: String) throws { try leave(user) }

    /// Stores that a user must be registered, by a member that implements the former name.
    @available(*, deprecated, message: "implement 'register(_:)' instead of 'join(_:)'")
    public func register(_ user: String) throws { try join(user) }

    /// Sends the pending requests of a user, by a member that implements the former name.
    @available(*, deprecated, message: "implement 'sendPending(_:)' instead of 'settle(_:)'")
    public func sendPending(_ user: String) async throws { try await settle(user) }

    /// The former name of ``unregister(_:)``.
    @available(*, deprecated, renamed: "unregister(_:)")
    public func leave(_ user: String) throws {
        throw NetworkError(.invalidChain, "\(type(of: self)) does not implement 'unregister(_:)'", node: "PushIdentity")
    }

    /// The former name of ``register(_:)``.
    @available(*, deprecated, renamed: "register(_:)")
    public func join(_ user: String) throws {
        throw NetworkError(.invalidChain, "\(type(of: self)) does not implement 'register(_:)'", node: "PushIdentity")
    }

    /// The former name of ``sendPending(_:)``.
    @available(*, deprecated, renamed: "sendPending(_:)")
    public func settle(_ user: String) async throws {
        throw NetworkError(
            .invalidChain,
            "\(type(of: self)) does not implement 'sendPending(_:)'",
            node: "PushIdentity"
        )
    }
}

extension PushIdentity.State {
    /// The former name of ``pendingSignOuts``.
    @available(*, deprecated, renamed: "pendingSignOuts")
    public var leaving: [String] { pendingSignOuts }
}
