// Names of 0.2, each with a fix-it.

extension IDPush {
    /// The former name of ``unregister(_:)``.
    @available(*, deprecated, renamed: "unregister(_:)")
    public func leave(_ user: String) throws { try unregister(user) }

    /// The former name of ``register(_:)``.
    @available(*, deprecated, renamed: "register(_:)")
    public func join(_ user: String) throws { try register(user) }

    /// The former name of ``sendPending(_:)``.
    @available(*, deprecated, renamed: "sendPending(_:)")
    public func settle(_ user: String) async throws { try await sendPending(user) }
}
