public import CoreNetKit
public import CoreNetKitEssentials
public import CoreNetKitOutbox
public import KorePushService

// The names of document 002, the user's specification, as thin wrappers; `Docs/Services/Names.md` maps them.

/// The user, as in the document.
@MainActor
open class UserModel {
    /// The id of the user.
    public var userId: String

    /// Creates a user.
    public init(userId: String) { self.userId = userId }
}

/// The login, as in the document.
@MainActor
open class AuthInfoModel {
    /// The token of the login.
    public var accessToken: String?
    /// The authentication scheme before the token; `Bearer` if it is `nil`.
    public var tokenType: String?

    /// Creates a login.
    public init(accessToken: String? = nil, tokenType: String? = nil) {
        (self.accessToken, self.tokenType) = (accessToken, tokenType)
    }
}

/// The bot of one user, limited to notifications.
@MainActor
open class BotClient {
    /// The user.
    public var userInfoModel: UserModel?
    /// The login.
    public var authInfoModel: AuthInfoModel?
    private let requestManager: HTTPRequestManager

    /// Creates a client.
    public init(
        userInfoModel: UserModel? = nil,
        authInfoModel: AuthInfoModel? = nil,
        requestManager: HTTPRequestManager = .sharedManager
    ) {
        (self.userInfoModel, self.authInfoModel, self.requestManager) = (userInfoModel, authInfoModel, requestManager)
    }

    /// Subscribes the device; exactly one of the closures is called, on the main actor.
    @_disfavoredOverload
    public func subscribeToNotifications(
        _ deviceToken: Data?,
        success: ((Bool) -> Void)?,
        failure: ((_ error: (any Error)?) -> Void)?
    ) {
        requestManager.subscribeToNotifications(
            deviceToken,
            userInfo: userInfoModel,
            authInfo: authInfoModel,
            success: success,
            failure: failure
        )
    }

    /// Unsubscribes the device; exactly one of the closures is called, on the main actor.
    @_disfavoredOverload
    public func unsubscribeToNotifications(
        _ deviceToken: Data?,
        success: ((Bool) -> Void)?,
        failure: ((_ error: (any Error)?) -> Void)?
    ) {
        requestManager.unsubscribeToNotifications(
            deviceToken,
            userInfo: userInfoModel,
            authInfo: authInfoModel,
            success: success,
            failure: failure
        )
    }
}

/// Makes the requests of all clients.
@MainActor
public final class HTTPRequestManager {
    /// The fields of a request.
    public typealias HTTPHeaders = Headers

    /// The manager of the app.
    public static let sharedManager = HTTPRequestManager()

    private struct Setup {
        let configuration: KoreConfiguration
        let store: any KeyValueStore
        let client: Client
        let outbox: Outbox?
        let refresh: TokenRefresher.Refresh?
    }

    private var setup: Setup?
    /// The service of the latest login, kept so that its calls stay in order.
    private var current: (login: [String?], push: KorePush)?

    /// Creates a manager, for tests and for apps without a shared one.
    public init() {}

    /// Sets the values that are constants in the document; until then every call fails with `notConfigured`.
    public func configure(
        _ configuration: KoreConfiguration,
        store: any KeyValueStore,
        client: Client = .shared,
        outbox: Outbox? = nil,
        refresh: TokenRefresher.Refresh? = nil
    ) {
        setup = Setup(configuration: configuration, store: store, client: client, outbox: outbox, refresh: refresh)
        current = nil
    }

    /// Subscribes the device; exactly one of the closures is called, on the main actor.
    public func subscribeToNotifications(
        _ deviceToken: Data?,
        userInfo: UserModel?,
        authInfo: AuthInfoModel?,
        success: ((_ staus: Bool) -> Void)?,
        failure: ((_ error: any Error) -> Void)?
    ) {
        let observer: Observer<Void> = start(deviceToken, userInfo, authInfo) { $0.subscribe($1).map { _ in } }
        observer.onCompleted { @MainActor in success?(true) }.onError { @MainActor in failure?($0) }
    }

    /// Unsubscribes the device; exactly one of the closures is called, on the main actor.
    public func unsubscribeToNotifications(
        _ deviceToken: Data?,
        userInfo: UserModel?,
        authInfo: AuthInfoModel?,
        success: ((_ staus: Bool) -> Void)?,
        failure: ((_ error: any Error) -> Void)?
    ) {
        let observer: Observer<Void> = start(deviceToken, userInfo, authInfo) { $0.unsubscribe($1) }
        observer.onCompleted { @MainActor in success?(true) }.onError { @MainActor in failure?($0) }
    }

    fileprivate func url(_ action: KoreAction, _ userId: String) -> String {
        guard let configuration = setup?.configuration else { return "/api/users/\(userId)/\(action.rawValue)" }
        return (try? configuration.url(for: action, of: userId).absoluteString) ?? ""
    }

    private func start(
        _ deviceToken: Data?,
        _ userInfo: UserModel?,
        _ authInfo: AuthInfoModel?,
        _ call: (KorePush, KoreDeviceToken) -> Observer<Void>
    ) -> Observer<Void> {
        do {
            return call(try push(userInfo, authInfo), try KoreDeviceToken(data: deviceToken))
        } catch {
            setup?.client.log(unsent: error, of: "KorePush")
            return .emit(error: error)
        }
    }

    private func push(_ userInfo: UserModel?, _ authInfo: AuthInfoModel?) throws(KorePushError) -> KorePush {
        guard let setup else { throw .notConfigured }
        let login = [userInfo?.userId, authInfo?.accessToken, authInfo?.tokenType]
        if let current, current.login == login { return current.push }
        let session = try KoreSession(
            userID: userInfo?.userId ?? "",
            accessToken: authInfo?.accessToken,
            tokenType: authInfo?.tokenType,
            refresh: setup.refresh
        )
        let push = try KorePush(
            session: session,
            configuration: setup.configuration,
            store: setup.store,
            client: setup.client,
            outbox: setup.outbox
        )
        current = (login, push)
        return push
    }
}

/// The constants of the document.
public enum Constants {
    /// The URLs on the manager's configured server.
    @MainActor
    public enum URL {
        /// The URL that subscribes a device.
        public static func subscribeUrl(_ userId: String) -> String {
            HTTPRequestManager.sharedManager.url(.subscribe, userId)
        }

        /// The URL that unsubscribes a device.
        public static func unSubscribeUrl(_ userId: String) -> String {
            HTTPRequestManager.sharedManager.url(.unsubscribe, userId)
        }
    }
}

extension Data {
    /// The bytes as lower-case hex; `nil` for empty data, which is not a device token.
    public func hexadecimal() -> String? { try? KoreDeviceToken(data: self).hex }
}

// The same calls from any context, because the document makes them outside of actors. Closures that are limited to the
// main actor need the methods above.
extension BotClient {
    /// Subscribes the device; exactly one of the closures is called, on the main actor.
    nonisolated public func subscribeToNotifications(
        _ deviceToken: Data?,
        success: (@MainActor @Sendable (Bool) -> Void)?,
        failure: (@MainActor @Sendable (_ error: (any Error)?) -> Void)?
    ) {
        Task { @MainActor in
            let succeeded: ((Bool) -> Void)? = success.map { success in { success($0) } }
            let failed: (((any Error)?) -> Void)? = failure.map { failure in { failure($0) } }
            subscribeToNotifications(deviceToken, success: succeeded, failure: failed)
        }
    }

    /// Unsubscribes the device; exactly one of the closures is called, on the main actor.
    nonisolated public func unsubscribeToNotifications(
        _ deviceToken: Data?,
        success: (@MainActor @Sendable (Bool) -> Void)?,
        failure: (@MainActor @Sendable (_ error: (any Error)?) -> Void)?
    ) {
        Task { @MainActor in
            let succeeded: ((Bool) -> Void)? = success.map { success in { success($0) } }
            let failed: (((any Error)?) -> Void)? = failure.map { failure in { failure($0) } }
            unsubscribeToNotifications(deviceToken, success: succeeded, failure: failed)
        }
    }
}
