public import PushRegistration

// The device stays registered whoever is signed in; what is known of the user goes with the user.
extension IDPush: PushMember {
    /// IDPush, and the project.
    public var memberName: String { "IDPush \(configuration.projectID)" }

    /// Stores that the user's tags are to be taken away.
    public func leave(_ user: String) throws { try noteNoTags() }

    /// Does nothing: tags are the app's to set.
    public func join(_ user: String) throws {}

    /// Sends what is open of the device.
    public func settle(_ user: String) async throws { try await flush() }
}
