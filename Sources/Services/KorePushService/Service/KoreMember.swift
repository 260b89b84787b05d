public import PushRegistration

/// Kore as a member of a ``PushIdentity``: subscribes this device for the user who signs in.
public struct KoreMember: PushMember {
    /// Distinguishes it from the other members of an identity.
    public let memberName: String
    private let token: @Sendable () -> KoreDeviceToken?
    private let service: @Sendable (_ user: String) throws -> KorePush?

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - name: Distinguishes it from the other members, and is the same in each version of the app; if there are
    ///     several servers, give each a different name.
    ///   - token: The token of the device, once the system has given one.
    ///   - service: The service of a user, including one who has signed out, as long as the session can be used; `nil`
    ///     if there is no session, which leaves the user's device subscribed until there is one.
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

    /// Stores that the device is to be subscribed for a user; without a device token nothing is stored.
    public func join(_ user: String) throws {
        guard let token = token() else { return }
        try push(of: user).noteJoin(token)
    }

    /// Sends what is pending for a user.
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
