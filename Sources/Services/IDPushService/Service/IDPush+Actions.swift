public import CoreNetKit
public import CoreNetKitEssentials
public import PushRegistration

// The five actions as methods, each with an observer and with `async`.
extension IDPush {
    /// Registers the device with the app delegate's token; call it at every launch, as Apple requires.
    @discardableResult
    public func addDevice(token: Data) -> Observer<IDPushReply> {
        do {
            return perform(.addDevice(try PushToken(token)))
        } catch {
            return .emit(error: error)
        }
    }

    /// Registers the device with the app delegate's token; the reply has the device's id.
    public func addDevice(token: Data) async throws -> IDPushReply {
        try await perform(.addDevice(try PushToken(token)))
    }

    /// Registers the device.
    @discardableResult
    public func addDevice(_ token: PushToken) -> Observer<IDPushReply> { perform(.addDevice(token)) }

    /// Registers the device; the reply has its id.
    public func addDevice(_ token: PushToken) async throws -> IDPushReply { try await perform(.addDevice(token)) }

    /// Lets the device receive notifications.
    @discardableResult
    public func subscribe() -> Observer<IDPushReply> { perform(.subscribe) }

    /// Lets the device receive notifications.
    public func subscribe() async throws -> IDPushReply { try await perform(.subscribe) }

    /// Stops notifications to the device; tags and registrations do not undo it.
    @discardableResult
    public func unsubscribe() -> Observer<IDPushReply> { perform(.unsubscribe) }

    /// Stops notifications to the device.
    public func unsubscribe() async throws -> IDPushReply { try await perform(.unsubscribe) }

    /// Changes tags, where `nil` removes one; only unconfirmed values are sent.
    @discardableResult
    public func setTags(_ tags: [String: TagValue]) -> Observer<IDPushReply> { perform(.setTags(tags: tags)) }

    /// Changes tags, where `nil` removes one.
    public func setTags(_ tags: [String: TagValue]) async throws -> IDPushReply {
        try await perform(.setTags(tags: tags))
    }

    /// Removes every tag, including those whose request got no response.
    public func removeAllTags() async throws -> IDPushReply {
        try await (removeAllTags() as Observer<IDPushReply>).value
    }

    /// Changes other parameters of the device, none of ``IDPushAction/reservedParameters``.
    @discardableResult
    public func editDevice(_ parameters: [String: TagValue]) -> Observer<IDPushReply> {
        perform(.editDevice(parameters: parameters))
    }

    /// Changes other parameters of the device, none of ``IDPushAction/reservedParameters``.
    public func editDevice(_ parameters: [String: TagValue]) async throws -> IDPushReply {
        try await perform(.editDevice(parameters: parameters))
    }
}

// The device stays registered when users change; only the user's tags and parameters are removed.
extension IDPush: PushMember {
    /// `IDPush` and the project id.
    public var memberName: String { "IDPush \(configuration.projectID)" }

    /// Stores that the user's tags must be removed, unless another user's tags are set by now.
    public func unregister(_ user: String) throws { try registrar.changeEventually { $0.signOut(user) } }

    /// Stores which user the tags belong to from now on; another user's tags are removed.
    public func register(_ user: String) throws { try registrar.changeEventually { $0.signIn(user) } }

    /// Sends the device's pending requests.
    public func sendPending(_ user: String) async throws { try await flush() }
}
