import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// Five concurrent calls with an expired token: one refresh, then all five with the new one.
@main
struct LoginTokens {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/token", .json(#"{"access": "fresh"}"#))
        server.on(.get, "/me") { request in
            request.headers["Authorization"] == "Bearer fresh" ? .json(#"{"name": "Ann"}"#) : .status(401)
        }
        let login: Chain<Void, Json> = UrlChainsBuilder<URL>().route(.post, server.url("/token")).build()
        let tokens = TokenRefresher(
            token: AccessToken("old"),
            origins: .only([server.url.absoluteString]),
            save: { token in print("saved: a token of \(token.value.count) letters") },
            refresh: { _ in AccessToken(try await login.call()["access"]?.string ?? "") }
        )
        let me: Chain<Void, Json> = UrlChainsBuilder<URL>(client: Client().authorize(tokens))
            .route(.get, server.url("/me"))
            .build()

        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...5 { group.addTask { try await me.call()["name"]?.string ?? "nobody" } }
            var names: [String] = []
            for try await name in group { names.append(name) }
            return names
        }
        print(names.joined(separator: ", "))
        print("refreshed \(server.requests.count { $0.path == "/token" }) time")
    }
}
