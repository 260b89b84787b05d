import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation

/// A file of 4 MB over a connection that breaks after every megabyte, with a progress bar.
@main
struct BigDownload {
    static func main() async throws {
        let content = Data((0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let server = try LoopbackServer()
        server.on(.get, "/big") { request in
            let first = Int(request.headers["Range"]?.dropFirst("bytes=".count).prefix { $0 != "-" } ?? "") ?? 0
            var response = LoopbackResponse.data(content[first...]).fault(.close(.inBody(1_000_000)))
            response.status = first > 0 ? 206 : 200
            response.headers["ETag"] = "\"v1\""
            if first > 0 { response.headers["Content-Range"] = "bytes \(first)-3999999/4000000" }
            return response
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "big-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }

        let monitor = TransferMonitor()
        let bar = Task {
            for await state in monitor.progress {
                let done = Int((state.fraction ?? 0) * 40)
                print(String(repeating: "#", count: done) + String(repeating: ".", count: 40 - done), state.received)
            }
        }
        let retry = RetryPolicy(limit: 9, backoff: .exponential(base: .milliseconds(50), cap: .milliseconds(50)))
        let chain = UrlChainsBuilder<URL>(client: Client().retry(retry)).route(.get, server.url("/big"))
            .download(to: file, resume: .automatic, progress: monitor)
        let download = try await chain.call()
        await bar.value
        let isEqual = try Data(contentsOf: file) == content
        print("\(download.size) bytes in \(server.requests.count) requests, equal: \(isEqual)")
    }
}
