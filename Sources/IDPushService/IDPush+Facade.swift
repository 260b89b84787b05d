public import CoreNetKit
import Guarding

// One service for apps that have one project: the document's way to use it.
extension IDPush {
    private static let current = Guarded<IDPush?>(nil)

    /// The service of the façade, `nil` before a `setup` that went well.
    public static var shared: IDPush? { current.withLock { $0 } }

    /// Sets the service of the façade up; one that is there stays when the new configuration is not valid.
    ///
    /// - Parameters:
    ///   - configuration: Project, environment, device.
    ///   - store: Where the registration is kept.
    ///   - client: Who performs the calls.
    /// - Throws: ``IDPushError/missingProjectID`` or ``IDPushError/insecureURL(_:)``.
    public static func setup(
        _ configuration: IDPushConfiguration,
        store: any KeyValueStore = UserDefaultsStore(),
        client: Client = .shared
    ) throws(IDPushError) {
        let service = try IDPush(configuration, store: store, client: client)
        current.withLock { $0 = service }
    }

    /// Sets the service of the façade up for a project, with everything else as the document has it.
    ///
    /// - Parameter projectID: The project's id in the IDPush panel.
    /// - Throws: ``IDPushError/missingProjectID``.
    public static func setup(projectID: String) throws(IDPushError) {
        try setup(IDPushConfiguration(projectID: projectID))
    }

    /// The id of the device at IDPush; before a `setup` the one that stands in `UserDefaults`.
    public static func getPlayerID() -> String? {
        guard let shared else { return try? RegistrationStore.original(in: UserDefaultsStore()) }
        return shared.playerID
    }

    /// Stores what is wanted, then sends it; without a `setup` the observer fails with ``IDPushError/notConfigured``.
    @discardableResult
    public static func perform(_ action: IDPushAction) -> Observer<IDPushReply> {
        shared?.perform(action) ?? .emit(error: IDPushError.notConfigured)
    }

    /// Stores what is wanted, sends it and waits for the reply.
    ///
    /// - Parameter action: What is wanted.
    /// - Returns: The reply.
    /// - Throws: ``IDPushError``, or `CancellationError`.
    public static func perform(_ action: IDPushAction) async throws -> IDPushReply {
        guard let shared else { throw IDPushError.notConfigured }
        return try await shared.perform(action)
    }
}
