public import CoreNetKit
public import CoreNetKitEssentials
public import CoreNetKitOutbox
// The initializers take stores, so that `import IDPushService` alone is enough.
@_exported public import PushRegistration

/// Push registration at IDPush: registers the device, subscribes it to notifications or not, and sets tags.
///
/// Each change is stored before it is sent. If the process ends or the network is down, `flush()` sends the rest later,
/// once. Every method exists with an `Observer` and with `async`; errors are ``IDPushError`` or `CancellationError`.
///
/// ```swift
/// let push = try IDPush(IDPushConfiguration(projectID: "5f0…", environment: .development))
/// push.addDevice(token: deviceToken)
///     .onCompleted { print($0.playerID ?? "") }
///     .onError { show($0) }
/// ```
public final class IDPush: Sendable {
    /// The settings of the service; the project id is trimmed.
    public let configuration: IDPushConfiguration

    private let client: Client
    let registrar: PushRegistrar<IDPushRecord>

    /// Creates the service; nothing is read or sent yet.
    ///
    /// - Parameters:
    ///   - configuration: Project, environment, device.
    ///   - store: Where the registration is kept; by default `UserDefaults`, as in the original IDPush SDK.
    ///   - client: The client of the calls.
    ///   - outbox: Sends pending requests automatically whenever it delivers, also after restarts; `nil` leaves that to
    ///     `flush()`.
    /// - Throws: ``IDPushError`` with code `missingProjectID` or `insecureURL`.
    public init(
        _ configuration: IDPushConfiguration,
        store: any KeyValueStore = UserDefaultsStore(),
        client: Client = .shared,
        outbox: Outbox? = nil
    ) throws(IDPushError) {
        let configuration = try configuration.validated()
        let storage = IDPushStorage(projectID: configuration.projectID, device: configuration.device.mark)
        (self.configuration, self.client) = (configuration, client)
        registrar = PushRegistrar(
            store: store,
            key: storage.key,
            load: storage.load,
            save: storage.save,
            outbox: outbox,
            request: { try $0.request($1, configuration) },
            deliver: { try await Self.deliver($0, configuration, client) }
        )
        registrar.assignJob()
    }

    /// Reads the state of the device; throws ``IDPushError`` with code `storageFailed` if the store cannot be read now.
    public func state() throws(IDPushError) -> IDPushState {
        let record = try read()
        return IDPushState(
            playerID: record.playerID,
            isOptedOut: record.isOptedOut,
            hasPending: !record.pendingParts.isEmpty,
            tags: record.tags.filter { $0.value != .remove }
        )
    }

    /// The device's id at IDPush; `nil` before a registration, and if the store cannot be read.
    public var playerID: String? { (try? read())?.playerID }

    /// Whether the user has opted out of notifications; also `true` if the store cannot be read.
    public var isOptedOut: Bool { (try? read())?.isOptedOut ?? true }

    /// Whether changes are still to be sent: call `flush()`.
    public var hasPending: Bool { (try? state())?.hasPending ?? false }

    /// The tags that the server has confirmed.
    public var tags: [String: TagValue] { (try? state())?.tags ?? [:] }

    // MARK: Request contents

    /// The parameters that an action would send now.
    public func parameters(of action: IDPushAction) -> [String: TagValue] {
        action.parameters(configuration, playerID: playerID, isOptedOut: isOptedOut)
    }

    /// The URL that an action would use now; throws ``IDPushError`` with code `missingPlayerID` without a registration.
    public func url(of action: IDPushAction) throws -> URL {
        if action.part != .device, playerID == nil { throw IDPushError.missingPlayerID }
        return try action.route(configuration.baseURL, playerID: playerID).url()
    }

    /// Checks whether an action could be sent; throws the error with which `perform(_:)` would fail before sending.
    public func validate(_ action: IDPushAction) throws(IDPushError) {
        let action = try action.validated()
        if action.part != .device, try read().playerID == nil { throw .missingPlayerID }
    }

    package static let originalPlayerIDKey = IDPushStorage.sdkKey

    /// Stores an id that was obtained elsewhere; a blank one is ignored.
    package func store(playerID: String) {
        let id = playerID.trimmed
        guard !id.isEmpty else { return }
        _ = try? registrar.change { $0.adopt(id) }
    }

    // MARK: Sending

    /// Stores an action, then sends it.
    ///
    /// Nothing is sent if the action is invalid, or if the server has already confirmed the same state. Cancelling
    /// cancels the request, not the pending change: `flush()` and the next action of the kind send it. A choice about
    /// notifications is stored even before the device is registered; the registration then includes it.
    /// - Parameter action: The action.
    /// - Returns: An observer of the reply.
    @discardableResult
    public func perform(_ action: IDPushAction) -> Observer<IDPushReply> {
        let change = storeChange(action)
        return .work { try await self.send(change.get()) }
    }

    /// Stores an action, sends it and waits for the reply.
    public func perform(_ action: IDPushAction) async throws -> IDPushReply {
        try await send(storeChange(action).get())
    }

    /// Sends every pending change; call it at launch, and when the network returns.
    @discardableResult
    public func flush() -> Observer<Void> { .work { try await self.flush() } }

    /// Sends every pending change; throws the first error, and what was not sent stays pending.
    public func flush() async throws {
        do { try await registrar.flush() } catch { throw IDPushError.wrapping(error) }
    }

    /// Stores that the user has given consent, and sends the changes that waited for it.
    @discardableResult
    public func giveConsent() -> Observer<Void> {
        let change = Result { try registrar.change { $0.setConsent(true) } }
        return .work {
            _ = try change.mapError { IDPushError.wrapping($0) }.get()
            try await self.flush()
        }
    }

    /// Stores that the user refuses or withdraws consent: waiting changes are dropped, and the server is asked to stop
    /// notifications, by `flush()` again if that fails; throws ``IDPushError`` with code `storageFailed`.
    @discardableResult
    public func refuseConsent() throws(IDPushError) -> Observer<Void> {
        try stored { try registrar.change { $0.setConsent(false) } }
        return .work { try await self.flush() }
    }

    /// Removes every tag, including those whose request got no response; call it at sign-out.
    @discardableResult
    public func removeAllTags() -> Observer<IDPushReply> {
        let change = Result { try registrar.storeChange(.tags) { $0.removeAllTags() } }
        return .work { try await self.send(change.mapError { IDPushError.wrapping($0) }.get()) }
    }

    private func read() throws(IDPushError) -> IDPushRecord { try stored(registrar.record) }

    @discardableResult
    private func stored(_ step: () throws -> IDPushRecord) throws(IDPushError) -> IDPushRecord {
        do { return try step() } catch {
            throw IDPushError.wrapping(error) as? IDPushError ?? .storageFailed("\(error)")
        }
    }

    private func storeChange(_ action: IDPushAction) -> Result<PushRegistrar<IDPushRecord>.Change, any Error> {
        Result {
            do {
                let action = try action.validated()
                let isStopping = action == .unsubscribe
                return try registrar.storeChange(action.part) { record in
                    if configuration.requiresConsent, record.hasConsent == false, !isStopping {
                        throw IDPushError.consentRequired
                    }
                    record.apply(action, configuration)
                }
            } catch {
                let error = IDPushError.wrapping(error)
                client.log(unsent: error, of: "IDPush")
                throw error
            }
        }
    }

    private func send(_ change: PushRegistrar<IDPushRecord>.Change) async throws -> IDPushReply {
        do {
            let (reply, record) = try await registrar.send(change) { record in
                if change.part != .device, record.playerID == nil { throw IDPushError.missingPlayerID }
            }
            // A new device has none of the tags yet.
            if change.part == .device, !record.pendingParts.isEmpty { try? await registrar.flush() }
            return IDPushReply(playerID: record.playerID, message: reply?.message)
        } catch {
            let error = IDPushError.wrapping(error)
            // A request that was sent is logged by its own call.
            if let error = error as? IDPushError, error.network == nil { client.log(unsent: error, of: "IDPush") }
            throw error
        }
    }

    private static func deliver(
        _ request: IDPushRecord.Request,
        _ configuration: IDPushConfiguration,
        _ client: Client
    ) async throws -> IDPushReply {
        // The idempotency key makes each request safe to repeat; a redirect would send the token to another server.
        var builder = UrlChainsBuilder<IDPushRoute>(client: client.withoutErrorModel).set(redirectLimit: 0)
        if !client.configuration.parts.has(.retry) { builder = builder.retry(.standard) }
        let chain: Chain<Json, IDPushReplyPayload> =
            builder
            .route(.post, request.action.route(configuration.baseURL, playerID: request.playerID))
            .encode(as: .formUrl)
            .set(deadline: configuration.deadline)
            .set(metadata: ["Idempotency-Key": request.key])
            .build()
        do {
            let reply = try await chain.process(Json(request.parameters.mapValues { Json($0.formText) })).reply
            if request.action.part == .device, reply.playerID == nil {
                throw IDPushError.invalidResponse(.missingField("player_id"))
            }
            return reply
        } catch {
            throw IDPushError.wrapping(error, playerID: request.playerID)
        }
    }
}

/// The state of the device.
public struct IDPushState: Sendable, Hashable {
    /// The device's id at IDPush; `nil` before a registration.
    public let playerID: String?
    /// Whether notifications are stopped.
    public let isOptedOut: Bool
    /// Whether changes are still to be sent.
    public let hasPending: Bool
    /// The tags that the server has confirmed.
    public let tags: [String: TagValue]
}

extension IDPushRecord {
    func request(_ part: Part, _ configuration: IDPushConfiguration) throws -> Request? {
        guard let action = next(part) else { return nil }
        // An opt-out may be sent without consent.
        if configuration.requiresConsent, hasConsent != true, action != .unsubscribe {
            throw IDPushError.consentRequired
        }
        let id = part == .device ? nil : playerID
        if part != .device, id == nil { throw IDPushError.missingPlayerID }
        let parameters = action.parameters(configuration, playerID: id, isOptedOut: isOptedOut)
        let text = parameters.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.formText)" }.joined(separator: "&")
        // The key includes the content, because an app update changes the request of the same change.
        let key = "\(installationID).\(part.rawValue).\(revision(of: part) ?? 0).\(text.stableHash)"
        return (action, id, parameters, key)
    }
}

extension IDPushAction {
    var part: IDPushRecord.Part {
        switch self {
        case .addDevice: .device
        case .subscribe, .unsubscribe: .subscription
        case .setTags: .tags
        case .editDevice: .parameters
        }
    }
}
