import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitOutbox
import Foundation

/// Send later: the call returns when the request is on disk; the outbox delivers it once the server is there.
@main
struct SendLater {
    nonisolated struct Comment: Codable, Sendable { var text: String }

    static func main() async throws {
        let server = try LoopbackServer { _ in LoopbackResponse(status: 201) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }

        let outbox = try Outbox(at: folder)
        let client = Client().retry(.standard).idempotencyKey().outbox(outbox)
        let post: Chain<Comment, OutboxReceipt> = UrlChainsBuilder<URL>(client: client)
            .route(.post, try server.url + "comments")
            .enqueue(in: "post/42", expires: .seconds(7 * 86_400), sending: .json)

        let receipt = try await post.call(Comment(text: "first"))
        print("on disk as \(receipt.id), requests so far: \(server.requests.count)")

        try await outbox.drain(with: client)
        print("delivered with status \(try await receipt.delivery().response.status)")
    }
}
