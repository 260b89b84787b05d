import KorePushService
import KorePushServiceDocumentNames
import PushServersMock
import TestSupport

/// The names of document 002, the user's specification, used as it prints them.
@Suite("Kore: document 002", .timeLimit(.minutes(10)), .paced)
@MainActor
struct KoreDocumentTests {
    let world: KoreWorld
    let requestManager = HTTPRequestManager()
    let botClient: BotClient

    init() throws {
        world = try KoreWorld()
        requestManager.configure(
            KoreConfiguration(server: world.server.url, retry: nil),
            store: world.store,
            client: world.client
        )
        let userInfo = UserModel(userId: "u-1")
        let authInfo = AuthInfoModel(accessToken: "good", tokenType: "Bearer")
        botClient = BotClient(userInfoModel: userInfo, authInfoModel: authInfo, requestManager: requestManager)
    }

    /// Calls as the document's app delegate does; gives what was printed.
    func subscribe(_ deviceToken: Data?) async -> String {
        await withCheckedContinuation { continuation in
            botClient.subscribeToNotifications(
                deviceToken,
                success: { continuation.resume(returning: "Successfully subscribed to notifications \($0)") },
                failure: { continuation.resume(returning: "Failed to subscribe: \($0?.localizedDescription ?? "")") }
            )
        }
    }

    func unsubscribeUser(deviceToken: Data?) async -> String {
        await withCheckedContinuation { continuation in
            botClient.unsubscribeToNotifications(
                deviceToken,
                success: { continuation.resume(returning: "Successfully unsubscribed from notifications \($0)") },
                failure: { continuation.resume(returning: "Failed to unsubscribe: \($0?.localizedDescription ?? "")") }
            )
        }
    }

    @Test("subscribe and unsubscribe respond through the document's closures")
    func usage() async {
        let deviceToken = Data([0xA1, 0xB2])
        #expect(await subscribe(deviceToken) == "Successfully subscribed to notifications true")
        #expect(world.kore.devices(of: "u-1") == ["a1b2"])
        #expect(await unsubscribeUser(deviceToken: deviceToken) == "Successfully unsubscribed from notifications true")
        #expect(world.kore.devices(of: "u-1").isEmpty)
        #expect(world.kore.exchanges.map(\.path) == ["/api/users/u-1/subscribe", "/api/users/u-1/unsubscribe"])
    }

    @Test("the request manager accepts the models itself, and closures that are neither Sendable nor isolated")
    func manager() async throws {
        let subscribed = await end { success, failure in
            requestManager.subscribeToNotifications(
                Data([1]),
                userInfo: UserModel(userId: "u-1"),
                authInfo: AuthInfoModel(accessToken: "good"),
                success: success,
                failure: failure
            )
        }
        #expect(subscribed == nil)
        let refused = await end { success, failure in
            requestManager.unsubscribeToNotifications(
                Data([1]),
                userInfo: UserModel(userId: "u-1"),
                authInfo: AuthInfoModel(accessToken: "wrong", tokenType: nil),
                success: success,
                failure: failure
            )
        }
        #expect((refused as? KorePushError)?.code == .unauthorized)
    }

    /// The error of a call with the document's closures; `nil` if it succeeds.
    private func end(
        of call: (_ success: @escaping (Bool) -> Void, _ failure: @escaping ((any Error)?) -> Void) -> Void
    ) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            call({ _ in continuation.resume(returning: nil) }, { continuation.resume(returning: $0) })
        }
    }

    @Test("what would trap in the document is an error")
    func missing() async throws {
        #expect(await subscribe(nil).contains("missingDeviceToken"))
        #expect(await unsubscribeUser(deviceToken: Data()).contains("invalidDeviceToken"))
        botClient.authInfoModel = nil
        #expect(await subscribe(Data([1])).contains("missingAuthorization"))
        botClient.userInfoModel = nil
        #expect(await subscribe(Data([1])).contains("missingUserID"))
        #expect(world.server.requests.isEmpty)
        let trees = try await world.sink.waitForLogTrees(4)
        #expect(trees.allSatisfy { "\($0)".contains("failed") })
    }

    @Test("before configure every call fails")
    func notConfigured() async {
        let client = BotClient(requestManager: HTTPRequestManager())
        let error = await end { client.subscribeToNotifications(Data([1]), success: $0, failure: $1) }
        #expect((error as? KorePushError)?.code == .notConfigured)
    }

    @Test("the document's constants, headers and hex")
    func constants() {
        #expect(Constants.URL.subscribeUrl("u-1").hasSuffix("/api/users/u-1/subscribe"))
        #expect(Constants.URL.unSubscribeUrl("u-1").hasSuffix("/api/users/u-1/unsubscribe"))
        let accessToken = String(format: "%@ %@", "Bearer", "good")
        let headers: HTTPRequestManager.HTTPHeaders = ["Authorization": accessToken]
        #expect(headers["authorization"] == "Bearer good")
        #expect(Data([0xA1, 0x0B]).hexadecimal() == "a10b")
        let deviceId = Data().hexadecimal()
        #expect(deviceId == nil)
        let shared: HTTPRequestManager = HTTPRequestManager.sharedManager
        #expect(shared === HTTPRequestManager.sharedManager)
    }
}
