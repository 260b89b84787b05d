public import PushRegistration

/// Kore as a member of a ``PushIdentity``: subscribes this device for the signed-in user.
public struct KoreMember: PushMember {
    /// Distinguishes the member from the others of an identity.
    public let memberName: String
    private let token: @Sendable () -> KoreDeviceToken?
    private let service: @Sendable (_ user: String) throws -> KorePush?

    /// Creates a member.
    ///
    /// - Parameters:
    ///   - name: Distinguishes the member from the others, and is the same in each version of the app; give each of several
    ///     servers a different name.
    ///   - token: The device token, once the system has issued one.
    ///   - service: The service of a user, including one who has signed out, as long as the session can be used; `nil`
    ///     if there is no session, which leaves the user's device subscribed until there is one.
    public init(
        name: String = "Kore",
        token: @escaping @Sendable () -> KoreDeviceToken?,
        service: @escaping @Sendable (_ user: String) throws -> KorePush?
    ) {
        self.memberName = name
        (self.token, self.service) = (token, service)
    }

    /// Stores that the device must be unsubscribed for a user.
    public func unregister(_ user: String) throws { try push(of: user).storeUnsubscription() }

    /// Stores that the device must be subscribed for a user; without a device token nothing is stored.
    public func register(_ user: String) throws {
        guard let token = token() else { return }
        try push(of: user).storeSubscription(token)
    }

    /// Sends the pending requests of a user.
    public func sendPending(_ user: String) async throws { try await push(of: user).flush() }

    private func push(of user: String) throws -> KorePush {
        guard let push = try service(user) else {
            throw KorePushError(.missingAuthorization, "there is no session of the user")
        }
        return push
    }
}
