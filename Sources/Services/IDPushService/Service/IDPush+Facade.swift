public import CoreNetKit
public import CoreNetKitOutbox
import CoreNetKitSystem
public import PushRegistration

// A single shared service for apps with one project, as the document uses it.
extension IDPush {
    private static let current = Locked<IDPush?>(nil)

    /// The service of the façade, `nil` before a successful `setup`.
    public static var shared: IDPush? { current.withLock { $0 } }

    /// Sets up the service of the façade like ``init(_:store:client:outbox:)``; an existing one stays if that throws.
    public static func setup(
        _ configuration: IDPushConfiguration,
        store: any KeyValueStore = UserDefaultsStore(),
        client: Client = .shared,
        outbox: Outbox? = nil
    ) throws(IDPushError) {
        let service = try IDPush(configuration, store: store, client: client, outbox: outbox)
        current.withLock { $0 = service }
    }

    /// Sets up the service of the façade for a project (an empty id is `missingProjectID`), with the document's defaults.
    public static func setup(projectID: String, environment: PushEnvironment = .detected) throws(IDPushError) {
        try setup(IDPushConfiguration(projectID: projectID, environment: environment))
    }

    /// The device's id at IDPush; before a `setup` the one in `UserDefaults`.
    public static func getPlayerID() -> String? {
        guard let shared else { return try? IDPushStorage.sdkPlayerID(in: UserDefaultsStore()) }
        return shared.playerID
    }

    /// Stores an id that was obtained elsewhere; before a `setup` in `UserDefaults`, where `setup` finds it.
    package static func keep(playerID: String) {
        if let shared { return shared.store(playerID: playerID) }
        try? IDPushStorage.keepForSDK(playerID, in: UserDefaultsStore())
    }

    /// Stores an action, then sends it; without a `setup` the observer fails with `notConfigured`.
    @discardableResult
    public static func perform(_ action: IDPushAction) -> Observer<IDPushReply> {
        shared?.perform(action) ?? .emit(error: IDPushError.notConfigured)
    }

    /// Stores an action, sends it and waits for the reply.
    public static func perform(_ action: IDPushAction) async throws -> IDPushReply {
        guard let shared else { throw IDPushError.notConfigured }
        return try await shared.perform(action)
    }
}
