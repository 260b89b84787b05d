public import CoreNetKit
import CoreNetKitEssentials
public import CoreNetKitOutbox
// The initializers take stores, so that `import KorePushService` alone is enough.
@_exported public import PushRegistration

/// Subscribes this device to a user's notifications, and unsubscribes it.
///
/// Every change is stored before it is sent, so that none is lost if the app is killed or the network is down: `flush()`
/// sends the rest. Requests of one user to one server are sent one after another, across all instances. Cancelling a call
/// cancels its request, not the pending change. Errors are ``KorePushError`` or `CancellationError`.
public final class KorePush: Sendable {
    /// The user, and the authorization of the requests.
    public let session: KoreSession
    /// The server, and how to talk to it.
    public let configuration: KoreConfiguration
    private let client: Client
    private let registrar: PushRegistrar<KoreRecord>

    /// Creates the service of one user on one server.
    ///
    /// - Parameters:
    ///   - session: The user, and the authorization of the requests.
    ///   - configuration: The server, and how to talk to it.
    ///   - store: Where the device token is kept: the keychain on Apple platforms, a ``FileStore`` elsewhere.
    ///   - client: The transport, the clock and the log.
    ///   - outbox: Sends pending requests automatically whenever it delivers, also after restarts; `nil` leaves that to
    ///     `flush()`.
    /// - Throws: ``KorePushError`` with code `invalidServer` or `insecureServer`.
    public init(
        session: KoreSession,
        configuration: KoreConfiguration,
        store: any KeyValueStore,
        client: Client = .shared,
        outbox: Outbox? = nil
    ) throws(KorePushError) {
        let server = try configuration.validate()
        let key = "KorePush.v2.\(server.serverKey).\(session.userID)"
        let oldKey = "KorePush.v1.\(server.host).\(session.userID)"
        (self.session, self.configuration, self.client) = (session, configuration, client)
        registrar = PushRegistrar(
            store: store,
            key: key,
            load: { try KoreRecord.load(key, or: oldKey, from: $0) },
            save: { record, _, store in try record.save(key, replacing: oldKey, in: store) },
            outbox: outbox,
            request: { $0.request($1) },
            deliver: { try await configuration.send($0, of: session, client: client) }
        )
        registrar.assignJob()
    }

    /// Subscribes the device; an earlier token is unsubscribed afterwards, or stays pending for `flush()` if that fails.
    @discardableResult
    public func subscribe(_ token: KoreDeviceToken) -> Observer<KoreSubscription> {
        let change = Result { try registrar.storeChange(.add) { $0.subscribe(token.hex) } }
        return call {
            let (reply, record) = try await self.registrar.send(change.get()) { record in
                guard record.token == token.hex else {
                    throw KorePushError(.superseded, "a later call set another token or none")
                }
            }
            // Only the new token is this call's result, so errors of the rest are ignored.
            await self.sendRemaining(of: record) { $0.token == token.hex }
            return KoreSubscription(userID: self.session.userID, token: token, message: reply?.message)
        }
    }

    /// Unsubscribes the device; a device that the server does not know counts as unsubscribed.
    @discardableResult
    public func unsubscribe(_ token: KoreDeviceToken) -> Observer<Void> {
        let change = Result { try registrar.storeChange(.remove(token.hex)) { $0.unsubscribe(token.hex) } }
        return call {
            let record = try await self.registrar.send(change.get()) { record in
                guard record.token != token.hex else {
                    throw KorePushError(.superseded, "a later call subscribes the token")
                }
            }.record
            await self.sendRemaining(of: record) { $0.token != token.hex }
        }
    }

    /// Sends the pending requests of earlier tokens while this call is the latest; a later call sends and reports its own
    /// changes.
    private func sendRemaining(of record: KoreRecord, isLatest: @Sendable (KoreRecord) -> Bool) async {
        guard !record.pendingParts.isEmpty, isLatest(record) else { return }
        try? await registrar.flush { [registrar] part in
            guard part != .add, let record = try? registrar.record() else { return false }
            return isLatest(record)
        }
    }

    /// Unsubscribes the device with the stored token and all earlier ones; call it at logout, while the session still
    /// works.
    @discardableResult
    public func unsubscribe() -> Observer<Void> {
        let change = Result { try registrar.change { $0.unsubscribe() } }
        return call {
            _ = try change.get()
            try await self.registrar.flush { $0 != .add }
        }
    }

    /// Sends the pending requests of earlier calls and processes; call it at launch and when the network returns.
    @discardableResult
    public func flush() -> Observer<Void> { call { try await self.registrar.flush() } }

    func storeUnsubscription() throws { try registrar.change { $0.unsubscribe() } }

    /// Stores that the device must be subscribed with a token, unless that is stored already.
    func storeSubscription(_ token: KoreDeviceToken) throws {
        try registrar.change { record in
            if record.token != token.hex { record.subscribe(token.hex) }
        }
    }

    /// Reads the stored state of this user's device; throws ``KorePushError`` with code `storeFailed`.
    public func state() async throws -> KoreState {
        do {
            let record = try registrar.record()
            return KoreState(
                token: try record.token.map { try KoreDeviceToken(hex: $0) },
                isSubscribed: record.isSubscribed,
                isComplete: record.pendingParts.isEmpty
            )
        } catch {
            throw KorePushError.wrapping(error)
        }
    }

    private func call<Value: Sendable>(_ step: @escaping @Sendable () async throws -> Value) -> Observer<Value> {
        .work { [client] in
            do {
                return try await step()
            } catch {
                let error = KorePushError.wrapping(error)
                if let error = error as? KorePushError, error.network == nil {
                    client.log(unsent: error, of: "KorePush")
                }
                throw error
            }
        }
    }

    // The same calls, as `async` functions.
    /// Subscribes the device; an earlier token of the device is unsubscribed afterwards.
    @discardableResult
    public func subscribe(_ token: KoreDeviceToken) async throws -> KoreSubscription {
        try await (subscribe(token) as Observer<KoreSubscription>).value
    }

    /// Unsubscribes the device; a device that the server does not know counts as unsubscribed.
    public func unsubscribe(_ token: KoreDeviceToken) async throws {
        try await (unsubscribe(token) as Observer<Void>).value
    }

    /// Unsubscribes the device with the stored token and all earlier ones.
    public func unsubscribe() async throws { try await (unsubscribe() as Observer<Void>).value }

    /// Sends the pending requests of earlier calls and processes.
    public func flush() async throws { try await (flush() as Observer<Void>).value }
}

extension KoreConfiguration {
    func send(_ request: KoreRecord.Request, of session: KoreSession, client: Client) async throws -> KoreReply {
        var builder = builder(for: request.action, of: session.userID, client: client)
        switch session.authorization {
        case .renewed(let tokens): builder = builder.authorize(tokens)
        case .fixed(let field, let expires):
            // An unsubscription is tried even with an expired token, because a wrong clock must not keep a device subscribed.
            if let expires, expires <= Date(), request.action == .subscribe {
                throw KorePushError(.tokenExpired, "the access token has expired and there is no way to renew it")
            }
            builder = builder.without(.token).add(provider: KoreAuthorization(field: field))
        }
        let chain: Chain<KoreDevicePayload, KoreReply> = builder.build()
        do {
            return try await chain.process(KoreDevicePayload(deviceId: KoreDeviceToken(hex: request.hex).hex))
        } catch {
            let error = KorePushError.wrapping(error)
            // The server itself says that the device is gone; a gateway's 404 page has no such code.
            if request.action == .unsubscribe, let code = (error as? KorePushError)?.serverCode,
                notSubscribedCodes.contains(code)
            {
                return KoreReply(message: nil)
            }
            throw error
        }
    }
}

private struct KoreAuthorization: MetadataProvider {
    let field: String
    func metadata() -> Headers { ["Authorization": field] }
}
