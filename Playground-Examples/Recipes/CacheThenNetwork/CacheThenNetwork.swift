import CoreNetKit
import CoreNetKitCache
import CoreNetKitLoopback
import Foundation

/// A list is shown from the cache at once, and again only if the network has a different one.
@main
struct CacheThenNetwork {
    static func main() async throws {
        let server = try LoopbackServer()
        let client = Client().cache(ResponseCache())
        let chain: Chain<Void, [String]> = UrlChainsBuilder<URL>(client: client)
            .route(.get, server.url("/list"))
            .build()

        reply(server, #"["milk"]"#)
        try await show("first time", chain)
        try await show("nothing new", chain)
        reply(server, #"["milk", "bread"]"#)
        try await show("something new", chain)
        server.stop()
        try await show("no server", chain)
    }

    static func reply(_ server: LoopbackServer, _ list: String) {
        server.on(.get, "/list", LoopbackResponse.json(list).header("Cache-Control", "max-age=0"))
    }

    static func show(_ title: String, _ chain: Chain<Void, [String]>) async throws {
        print(title)
        for try await update in chain.updates() {
            let note = update.error.map { _ in ", and the network failed" } ?? (update.isStale ? ", maybe old" : "")
            print("  \(update.value.joined(separator: ", "))\(note)")
        }
    }
}
