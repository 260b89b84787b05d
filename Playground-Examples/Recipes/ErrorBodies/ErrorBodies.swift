import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// Three ways in which a call fails, and what the error tells; the server's own reason as a type.
@main
struct ErrorBodies {
    struct Problem: Error, Decodable { var reason: String }
    nonisolated struct User: Decodable, Sendable { var name: String }

    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/refused", .json(#"{"reason": "the name is taken"}"#, status: 409))
        server.on(.get, "/odd", .json(#"[{"name": "Ann"}, {"name": 7}]"#))
        server.on(.get, "/cut", LoopbackResponse.json(#"[{"name": "Ann"}]"#).fault(.close(.inBody(5))))
        for path in ["/refused", "/odd", "/cut"] {
            let chain: Chain<Void, [User]> = UrlChainsBuilder<URL>().route(.get, server.url(path)).build()
            do {
                print(try await chain.call())
            } catch let error as NetworkError {
                print("\(path): \(error.code), \(error.message)")
                if let problem = try? error.decodeBody(as: Problem.self) { print("  because \(problem.reason)") }
            }
        }
        let chain: Chain<Void, [User]> = UrlChainsBuilder<URL>().route(.get, server.url("/refused")).build()
        let observer = chain.observe()
        do { _ = try await observer.mapFailure(as: Problem.self).value } catch let problem as Problem {
            print("typed: \(problem.reason)")
        }
    }
}
