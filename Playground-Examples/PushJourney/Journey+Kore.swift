import CoreNetKit
import Foundation
import KorePushService
import PushServersMock

extension Journey {
    /// The service of the signed-in user.
    func makeKore(
        user: String = World.user,
        accessToken: String,
        requestFormat: KoreConfiguration.RequestFormat = .json,
        client: Client? = nil,
        refresh: TokenRefresher.Refresh? = nil
    ) throws -> KorePush {
        try KorePush(
            session: KoreSession(userID: user, accessToken: accessToken, refresh: refresh),
            configuration: KoreConfiguration(server: world.base, requestFormat: requestFormat),
            store: secrets,
            client: client ?? world.client
        )
    }

    /// Step 8: an expired token is renewed once, and the request is sent again.
    func koreSubscription() async throws {
        try await step(8, "Kore: subscribe, token expired") {
            let kore = try makeKore(accessToken: "stale-token") { _ in AccessToken("fresh-token") }
            let subscription: KoreSubscription = try await kore.subscribe(KoreDeviceToken(data: token))
            guard world.isEmbedded else { return "subscribed \(subscription.userID)" }
            try same(sent.map(\.line), Array(repeating: "POST /api/users/u-1/subscribe", count: 2), "wire")
            try same(
                sent.map { $0.headers["Authorization"] },
                ["Bearer stale-token", "Bearer fresh-token"],
                "Authorization"
            )
            return "401, one refresh, subscribed \(subscription.userID)"
        }
    }

    /// Step 17: unsubscribe, and again in another form; a device that is already gone is no error.
    func koreGoodbye() async throws {
        try await step(17, "Kore: unsubscribe twice") {
            let device = try KoreDeviceToken(data: token)
            try await makeKore(accessToken: "fresh-token").unsubscribe(device)
            try await makeKore(accessToken: "fresh-token", requestFormat: .postOverride).unsubscribe(device)
            guard world.isEmbedded else { return "\(sent.count) requests" }
            try same(
                sent.map { "\($0.line) \($0.headers["X-HTTP-Method-Override"] ?? "-")" },
                ["DELETE /api/users/u-1/unsubscribe -", "POST /api/users/u-1/unsubscribe DELETE"],
                "wire"
            )
            try same(world.kore.exchanges.suffix(2).map(\.status), [200, 404], "statuses")
            return "200, then 404: both are success"
        }
    }
}
