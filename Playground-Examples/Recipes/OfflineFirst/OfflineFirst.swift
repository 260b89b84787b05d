import CoreNetKit
import CoreNetKitCache
import CoreNetKitLoopback
import Foundation

/// Data that was loaded once is available without a network, even in the next run of the program.
@main
struct OfflineFirst {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/news", LoopbackResponse.json(#"["one", "two"]"#).header("Cache-Control", "max-age=0"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "offline-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }

        let cache = ResponseCache(disk: .folder(folder))
        print("online: \(try await news(server, cache).model.text())")
        await cache.flush()
        server.stop()

        // Another object on the same folder, as in the next run of the program.
        let old = try await news(server, ResponseCache(disk: .folder(folder)))
        print("offline: \(try old.model.text()), since \(old.cache?.reason.description ?? "nothing")")
    }

    static func news(_ server: LoopbackServer, _ cache: ResponseCache) async throws -> Response<Json> {
        let client = Client().cache(cache, .staleIfError(for: .seconds(86_400)))
        return try await UrlChainsBuilder<URL>(client: client).route(.get, server.url("/news")).build().call()
    }
}
