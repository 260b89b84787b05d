import CoreNetKit
import CoreNetKitCookies
import CoreNetKitLoopback
import Foundation

/// A cookie session: one jar for two users who do not see each other's cookies, and a file that outlives the program.
@main
struct CookieLogin {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/login") { request in
            LoopbackResponse.ok.header(
                "Set-Cookie",
                "session=\(request.query("user") ?? ""); Path=/; Max-Age=3600; HttpOnly"
            )
        }
        server.on(.get, "/me") { request in .text(request.headers["Cookie"] ?? "nobody") }
        let jar = CookieJar()
        for user in ["anna", "ben"] {
            let client = Client().cookies(jar).set(partition: Partition(user))
            _ = try await get("/login?user=\(user)", server, client)
            print(user, "→", try await get("/me", server, client))
        }
        print("nobody →", try await get("/me", server, Client().cookies(jar)))

        let file = FileManager.default.temporaryDirectory.appending(path: "jar-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try CookieFile(at: file).store(jar)
        let later = CookieJar()
        try CookieFile(at: file).load(into: later)
        let client = Client().cookies(later).set(partition: Partition("ben"))
        print("after a restart: ben →", try await get("/me", server, client))
        print(later.allCookies(partition: Partition("ben").name))
    }

    static func get(_ path: String, _ server: LoopbackServer, _ client: Client) async throws -> String {
        let chain: Chain<Void, String> = UrlChainsBuilder<URL>(client: client).route(.get, server.url(path)).build()
        return try await chain.call()
    }
}
