public import PushRegistration

// The device stays registered whoever is signed in; what is known of the user goes with the user.
extension IDPush: PushMember {
    /// IDPush, and the project.
    public var memberName: String { "IDPush \(configuration.projectID)" }

    /// Stores that the user's tags are to be taken away; those of who has come since stay.
    public func leave(_ user: String) throws { try note { $0.leave(user) } }

    /// Stores whose tags are set from now on; those of somebody else are taken away.
    public func join(_ user: String) throws { try note { $0.join(user) } }

    /// Sends what is open of the device.
    public func settle(_ user: String) async throws { try await flush() }
}
