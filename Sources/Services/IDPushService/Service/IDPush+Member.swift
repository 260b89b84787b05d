public import PushRegistration

// The device stays registered when users change; only the user's tags and parameters are removed.
extension IDPush: PushMember {
    /// `IDPush` and the project id.
    public var memberName: String { "IDPush \(configuration.projectID)" }

    /// Stores that the user's tags must be removed, unless another user's tags are set by now.
    public func leave(_ user: String) throws { try note { $0.leave(user) } }

    /// Stores which user the tags belong to from now on; another user's tags are removed.
    public func join(_ user: String) throws { try note { $0.join(user) } }

    /// Sends the device's pending requests.
    public func settle(_ user: String) async throws { try await flush() }
}
