#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
public import CoreNetKit

/// Subscribes this device to the notifications of a user, and unsubscribes it.
///
/// Every wish is stored before it is sent, so that none is lost when the app is killed or the network is gone: ``flush()``
/// sends what is left. Calls are answered one after another, in the order in which they were made. Cancelling one ends
/// its request, not the wish.
public final class KorePush: Sendable {
    /// The user, and what authorizes the requests.
    public let session: KoreSession
    /// Which server, and how it wants to be talked to.
    public let configuration: KoreConfiguration
    private let client: Client
    private let ledger: KoreLedger
    private let calls = KoreLine()

    /// Creates the service of one user on one server.
    ///
    /// - Parameters:
    ///   - session: The user, and what authorizes the requests.
    ///   - configuration: Which server, and how it wants to be talked to.
    ///   - store: Where the device token is kept.
    ///   - client: The transport, the clock and the log.
    /// - Throws: ``KorePushError`` with code `invalidServer` or `insecureServer`.
    public init(
        session: KoreSession,
        configuration: KoreConfiguration,
        store: any KoreSecureStore,
        client: Client = .shared
    ) throws(KorePushError) {
        let host = try configuration.validate()
        self.session = session
        self.configuration = configuration
        self.client = client
        ledger = KoreLedger(store: store, key: "KorePush.v1.\(host).\(session.userID)")
    }

    /// Subscribes the device; when it had another token before, that one is unsubscribed afterwards.
    ///
    /// A token of before that could not be unsubscribed is no error of this call: it is kept for ``flush()``.
    ///
    /// - Parameter token: The token of the device, as it is now.
    /// - Returns: An observer of the subscription; its errors are ``KorePushError``.
    @discardableResult
    public func subscribe(_ token: KoreDeviceToken) -> Observer<KoreSubscription> {
        let noted = ledger.edit { $0.want(token.hex) }
        return call {
            _ = try await noted.value
            let subscription = try await self.add(token)
            // The caller asked for the new token alone.
            _ = try? await self.removeLeaving()
            return subscription
        }
    }

    /// Unsubscribes the device; a device that the server does not know is unsubscribed already.
    ///
    /// - Parameter token: The token of the device.
    /// - Returns: An observer of the end; its errors are ``KorePushError``.
    @discardableResult
    public func unsubscribe(_ token: KoreDeviceToken) -> Observer<Void> {
        let noted = ledger.edit { $0.leave(token.hex) }
        return call {
            _ = try await noted.value
            try await self.remove(token.hex)
            _ = try? await self.removeLeaving()
        }
    }

    /// Unsubscribes the device with the token that is kept, and all that is left of earlier ones; call it at logout, while
    /// the session still works.
    ///
    /// - Returns: An observer of the end, also when there is nothing to unsubscribe.
    @discardableResult
    public func unsubscribe() -> Observer<Void> {
        let noted = ledger.edit { $0.leaveAll() }
        return call {
            _ = try await noted.value
            try await self.removeLeaving()
        }
    }

    /// Sends what earlier calls could not, of this process or of one before; call it at launch and when the network is back.
    ///
    /// - Returns: An observer of the end, also when there is nothing to send.
    @discardableResult
    public func flush() -> Observer<Void> {
        call {
            let record = try await self.ledger.record()
            if let hex = record.token, !record.isSubscribed { try await self.addAgain(hex) }
            try await self.removeLeaving()
        }
    }

    /// What is kept of this user's device.
    ///
    /// - Returns: The token that is or is to be subscribed, and whether anything is left to send.
    /// - Throws: ``KorePushError`` with code `storeFailed`.
    public func state() async throws -> KoreState {
        let record = try await ledger.record()
        return KoreState(
            token: try record.token.map { try KoreDeviceToken(hex: $0) },
            isSubscribed: record.isSubscribed,
            isComplete: record.leaving.isEmpty && (record.token == nil || record.isSubscribed)
        )
    }
}

// The same for callers that await.
extension KorePush {
    /// Subscribes the device; when it had another token before, that one is unsubscribed afterwards.
    ///
    /// - Parameter token: The token of the device, as it is now.
    /// - Returns: The subscription.
    /// - Throws: ``KorePushError``, or `CancellationError`.
    @discardableResult
    public func subscribe(_ token: KoreDeviceToken) async throws -> KoreSubscription {
        let observer: Observer<KoreSubscription> = subscribe(token)
        return try await observer.value
    }

    /// Unsubscribes the device; a device that the server does not know is unsubscribed already.
    ///
    /// - Parameter token: The token of the device.
    /// - Throws: ``KorePushError``, or `CancellationError`.
    public func unsubscribe(_ token: KoreDeviceToken) async throws {
        let observer: Observer<Void> = unsubscribe(token)
        try await observer.value
    }

    /// Unsubscribes the device with the token that is kept, and all that is left of earlier ones.
    ///
    /// - Throws: ``KorePushError``, or `CancellationError`.
    public func unsubscribe() async throws {
        let observer: Observer<Void> = unsubscribe()
        try await observer.value
    }

    /// Sends what earlier calls could not, of this process or of one before.
    ///
    /// - Throws: ``KorePushError``, or `CancellationError`.
    public func flush() async throws {
        let observer: Observer<Void> = flush()
        try await observer.value
    }
}

extension KorePush {
    private func call<Value: Sendable>(_ step: @escaping @Sendable () async throws -> Value) -> Observer<Value> {
        let task = calls.run(step)
        let context = Context<Value>(onCancel: { task.cancel() })
        Task { [client] in
            do {
                context.emit(data: try await task.value)
            } catch {
                client.log(unsent: error)
                context.emit(error: error)
            }
        }
        return context
    }

    private func add(_ token: KoreDeviceToken) async throws -> KoreSubscription {
        guard try await ledger.record().token == token.hex else {
            throw KorePushError(.superseded, "a later call wants another token or none")
        }
        do {
            let reply = try await send(.subscribe, token)
            _ = try await ledger.edit { $0.confirm(token.hex) }.value
            return KoreSubscription(userID: session.userID, token: token, message: reply?.message)
        } catch let error as KorePushError where error.code == .badRequest {
            // The same request can never succeed: do not send it at every launch.
            _ = try await ledger.edit { $0.forget(token.hex) }.value
            throw error
        }
    }

    private func addAgain(_ hex: String) async throws {
        do {
            _ = try await add(KoreDeviceToken(hex: hex))
        } catch let error as KorePushError where error.code == .superseded {
            // The later call takes care of it.
        }
    }

    /// Tries each; a server that cannot be reached ends it.
    private func removeLeaving() async throws {
        var refusal: KorePushError?
        for hex in try await ledger.record().leaving {
            do {
                try await remove(hex)
            } catch let error as KorePushError where error.code == .superseded {
                // The later call takes care of it.
            } catch let error as KorePushError where error.status != nil {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
    }

    private func remove(_ hex: String) async throws {
        let record = try await ledger.record()
        guard record.token != hex else { throw KorePushError(.superseded, "a later call wants the token subscribed") }
        guard record.leaving.contains(hex) else { return }
        do {
            _ = try await send(.unsubscribe, KoreDeviceToken(hex: hex))
        } catch let error as KorePushError where error.code == .notFound {
            // Gone already, which is what was asked for.
        } catch let error as KorePushError where error.code == .badRequest {
            _ = try await ledger.edit { $0.left(hex) }.value
            throw error
        }
        _ = try await ledger.edit { $0.left(hex) }.value
    }

    private func send(_ action: KoreAction, _ token: KoreDeviceToken) async throws -> KoreReply? {
        var builder = configuration.builder(for: action, of: session.userID, client: client)
        switch session.authorization {
        case .renewed(let tokens): builder = builder.authorize(with: tokens)
        case .fixed(_, let expires?) where expires <= Date():
            throw KorePushError(.tokenExpired, "the access token has expired and there is no way to renew it")
        case .fixed(let field, _): builder = builder.authorize(with: nil).add(provider: KoreAuthorization(field: field))
        }
        do {
            let chain: Chain<KoreDevice, KoreReply?> = builder.build()
            return try await chain.process(KoreDevice(token: token))
        } catch {
            throw KorePushError.wrapping(error)
        }
    }
}

/// Adds the field of a token that nobody renews.
private struct KoreAuthorization: MetadataProvider {
    let field: String
    func metadata() -> Headers { ["Authorization": field] }
}

extension Client {
    /// Logs a failure that no chain has logged, as nothing was sent.
    func log(unsent error: any Error) {
        guard let log = configuration.log, let error = error as? KorePushError, error.network == nil else { return }
        Observer<Void>.emit(error: error).log("KorePush", to: log.sink)
    }
}
