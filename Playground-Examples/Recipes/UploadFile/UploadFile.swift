import CoreNetKit
import CoreNetKitLoopback
import Foundation

/// A form with a text and a file that is read while it is sent.
@main
struct UploadFile {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/photos") { request in
            .json("{\"bytes\": \(request.body.count)}", status: 201)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "photo-\(UUID().uuidString).jpg")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(repeating: 7, count: 300_000).write(to: file)

        let chain: Chain<MultipartModel, Response<Json>> = UrlChainsBuilder<URL>()
            .route(.post, server.url("/photos"))
            .build()
        let response = try await chain.call(
            MultipartModel([.field("title", "Sunset"), .file("photo", .url(url: file))])
        )
        let request = try await server.request(at: 0)
        print("status \(response.status), the server has \(response.model["bytes"]?.int ?? 0) bytes")
        print("length known beforehand: \(request.headers["Content-Length"] ?? "no")")
        print(request.headers["Content-Type"]?.prefix { $0 != ";" } ?? "no type")
    }
}
