import CoreNetKit
import CoreNetKitFleet
import CoreNetKitLoopback
import Foundation

struct Login: TokenCredential, Codable {
    var access: String
    var refresh: String
    var accessToken: AccessToken { AccessToken(access) }
}

/// Eight pods, one refresh token that works once, one rate; with a real store: `swift run EightPods /run/valkey.sock`.
@main
struct EightPods {
    static func main() async throws {
        let server = try LoopbackServer()
        let store: any SharedStore =
            CommandLine.arguments.dropFirst().first.map { ValkeyStore(.unix($0)) } ?? LocalStore()
        let key = try SealingKey(id: "2026-11", Data(repeating: 7, count: 32))  // of your secrets, not of your code
        let shared = SharedCredentials(
            store,
            named: "shop/\(server.url(""))",
            sealing: SealingKeys(key),
            afterLostRefresh: .endSession
        )
        let pods = (1...8).map { pod in
            let tokens = TokenRefresher(
                shared: shared,
                token: Login(access: "a0", refresh: "r0"),
                origins: [server.url("").absoluteString],
                user: "service"
            ) { try await UrlChainsBuilder<URL>().route(.post, server.url("/token/\(pod)")).build().process($0) }
            let rate = RateLimiter(400, burst: 4, named: "shop", in: store, whenAway: .localShare(of: 8))
            let client = Client().authorize(with: tokens).rate(with: rate)
            return UrlChainsBuilder<URL>(client: client).route(.get, server.url("/")).build() as Chain<Void, Void>
        }
        for number in 1...3 {
            server.on(.get, "/") { $0.headers["Authorization"] == "Bearer a\(number)" ? .ok : .status(401) }
            for pod in 1...8 {
                server.on(.post, "/token/\(pod)", .json(#"{"access": "a\#(number)", "refresh": "r\#(number)"}"#))
            }
            try await withThrowingTaskGroup { group in
                for pod in pods { group.addTask { try await pod.process() } }
                try await group.waitForAll()
            }
            let refreshed = (1...8).map { pod in server.requests.count { $0.path == "/token/\(pod)" } }
            print(
                "expiry \(number):",
                refreshed.map { $0 == 0 ? "·" : String(repeating: "●", count: $0) }.joined(separator: " ")
            )
        }
        let calls = server.requests.count { $0.path == "/" }
        print(
            "\(calls) calls; a refresh token was spent \(server.requests.count { $0.method == .post }) times for 3 expiries"
        )
    }
}
