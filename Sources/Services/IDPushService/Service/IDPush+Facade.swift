public import CoreNetKit
public import CoreNetKitOutbox
import CoreNetKitSystem
public import PushRegistration

// One service for apps that have one project: the document's way to use it.
extension IDPush {
    private static let current = Locked<IDPush?>(nil)

    /// The service of the façade, `nil` before a `setup` that went well.
    public static var shared: IDPush? { current.withLock { $0 } }

    /// Sets up the service of the façade; an existing one stays if the new configuration is invalid.
    ///
    /// - Parameters:
    ///   - configuration: Project, environment, device.
    ///   - store: Where the registration is kept.
    ///   - client: The client of the calls.
    ///   - outbox: What sends by itself whatever is open.
    /// - Throws: ``IDPushError`` with code `missingProjectID` or `insecureURL`.
    public static func setup(
        _ configuration: IDPushConfiguration,
        store: any KeyValueStore = UserDefaultsStore(),
        client: Client = .shared,
        outbox: Outbox? = nil
    ) throws(IDPushError) {
        let service = try IDPush(configuration, store: store, client: client, outbox: outbox)
        current.withLock { $0 = service }
    }

    /// Sets the service of the façade up for a project, with everything else as the document has it.
    ///
    /// - Parameters:
    ///   - projectID: The project's id in the IDPush panel.
    ///   - environment: Which environment the token belongs to.
    /// - Throws: ``IDPushError`` with code `missingProjectID`.
    public static func setup(projectID: String, environment: PushEnvironment = .detected) throws(IDPushError) {
        try setup(IDPushConfiguration(projectID: projectID, environment: environment))
    }

    /// The id of the device at IDPush; before a `setup` the one in `UserDefaults`.
    public static func getPlayerID() -> String? {
        guard let shared else { return try? IDPushStorage.original(in: UserDefaultsStore()) }
        return shared.playerID
    }

    /// Keeps an id that was got elsewhere; before a `setup` in `UserDefaults`, where that finds it.
    package static func keep(playerID: String) {
        if let shared { return shared.store(playerID: playerID) }
        try? IDPushStorage.keepOriginal(playerID, in: UserDefaultsStore())
    }

    /// Stores what is wanted, then sends it; without a `setup` the observer fails with `notConfigured`.
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
