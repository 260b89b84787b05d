import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitSignatures
import CoreNetKitStreams
import Foundation
import Synchronization

/// A report that is written while it is sent; its digest, which nobody knows before the end, follows as a trailer.
@main
struct TrailingDigest {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.post, "/reports") { request in
            let digest = "sha-256=:\(ContentHash.sha256(request.body).base64):"
            return .status(request.trailers["Repr-Digest"] == digest ? 201 : 422)
        }

        let hash = Mutex(ContentHash())
        let report = RequestBody.stream {
            hash.withLock { $0 = ContentHash() }
            return AsyncThrowingStream<Data, any Error> { lines in
                for number in 1...1000 {
                    let line = Data("\(number);\(number * number)\n".utf8)
                    hash.withLock { $0.update(line) }
                    lines.yield(line)
                }
                lines.finish()
            }
        }
        .trailer("Repr-Digest") { "sha-256=:\(hash.withLock { $0.base64 }):" }

        let chain: Chain<Void, Response<Data>> = UrlChainsBuilder<URL>()
            .route(.post, server.url("/reports"))
            .set(body: report, type: "text/csv")
            .build()
        print("status \(try await chain.call().status)")
        let request = try await server.request(at: 0)
        print("\(request.headers["Trailer"] ?? "no trailer"): \(request.trailers["Repr-Digest"] ?? "none")")
    }
}
