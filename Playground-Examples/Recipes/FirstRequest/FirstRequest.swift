import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A request with a query, and its response as a model; the same call with its status and fields.
@main
struct FirstRequest {
    nonisolated struct User: Codable, Sendable {
        let name: String
        let age: Int
    }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/users", .json(#"[{"name": "Ann", "age": 31}, {"name": "Ben", "age": 28}]"#))

        let builder = UrlChainsBuilder<URL>()
            .route(.get, server.url("/users"))
            .set(query: ["sort": "name", "max": 20])

        let users: [User] = try await builder.build().call()
        print(users.map(\.name).joined(separator: ", "))

        let response: Response<[User]> = try await builder.build().call()
        print("status \(response.status), \(response.headers["Content-Type"] ?? "no type")")
        print("asked for: \(server.requests.first?.target ?? "nothing")")
    }
}
