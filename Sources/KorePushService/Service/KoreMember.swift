public import PushRegistration

/// Kore as a member of a ``PushIdentity``: subscribes this device for whoever signs in.
public struct KoreMember: PushMember {
    /// What tells it from the other members of an identity.
    public let memberName: String
    private let token: @Sendable () -> KoreDeviceToken?
    private let service: @Sendable (_ user: String) throws -> KorePush?

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - name: What tells it from the other members, the same in each version of the app: a name of its own for each
    ///     server where there are several.
    ///   - token: The token of the device, once the system gave one.
    ///   - service: The service of a user, also of one who has signed out as long as the session can be used; `nil` where
    ///     there is no session, which leaves the user's device subscribed until there is one.
    public init(
        name: String = "Kore",
        token: @escaping @Sendable () -> KoreDeviceToken?,
        service: @escaping @Sendable (_ user: String) throws -> KorePush?
    ) {
        self.memberName = name
        self.token = token
        self.service = service
    }

    /// Stores that the device is to be unsubscribed for a user.
    public func leave(_ user: String) throws {
        try push(of: user).noteLeave()
    }

    /// Stores that the device is to be subscribed for a user; without a token of the device nothing is.
    public func join(_ user: String) throws {
        guard let token = token() else { return }
        try push(of: user).noteJoin(token)
    }

    /// Sends what is open of a user.
    public func settle(_ user: String) async throws {
        try await push(of: user).flush()
    }

    private func push(of user: String) throws -> KorePush {
        guard let push = try service(user) else {
            throw KorePushError(.missingAuthorization, "there is no session of the user")
        }
        return push
    }
}
