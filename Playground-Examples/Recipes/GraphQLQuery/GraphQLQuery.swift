import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// GraphQL over HTTP: one POST, and errors that come with status 200.
@main
struct GraphQLQuery {
    nonisolated struct Envelope<Model: Decodable & Sendable>: Decodable, Sendable {
        nonisolated struct Problem: Decodable, Sendable { let message: String }
        let data: Model?
        let errors: [Problem]?
    }

    nonisolated struct User: Decodable, Sendable { let user: [String: String]? }

    static func query<Model>(_ type: Model.Type, at url: URL) -> Chain<Json, Model?> where Model: Decodable & Sendable {
        let chain: Chain<Json, Envelope<Model>> = UrlChainsBuilder<URL>().route(.post, url).build()
        return chain.map { envelope in
            if let problem = envelope.errors?.first {
                throw NetworkError(.reportedByServer, problem.message, node: "GraphQL")
            }
            return envelope.data
        }
    }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/graphql") { request in
            request.text.contains(#""id":7"#)
                ? .json(#"{"data": {"user": {"name": "Ann"}}}"#) : .json(#"{"errors": [{"message": "no such user"}]}"#)
        }
        let users = query(User.self, at: server.url("/graphql"))
        let text: Json = "query ($id: Int!) { user(id: $id) { name } }"
        print(try await users.call(["query": text, "variables": ["id": 7]])?.user?["name"] ?? "nobody")
        do { _ = try await users.call(["query": text, "variables": ["id": 8]]) } catch let error as NetworkError {
            print("\(error.code): \(error.message)")
        }
    }
}
