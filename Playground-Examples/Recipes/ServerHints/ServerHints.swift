import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation

/// What one response says beside its content: where the server's time went, and that the route will end.
@main
struct ServerHints {
    static func main() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/feed") { request in
            var response = LoopbackResponse.json("{}")
            response.headers["Server-Timing"] = "db;dur=4.5, render;dur=1.2;desc=\"first page\""
            response.headers["Deprecation"] = "@1767225600"
            response.headers["Sunset"] = "Fri, 01 Jan 2027 00:00:00 GMT"
            return response
        }

        let recorder = CallRecorder()
        let log = ClosureSink { tree in
            for line in "\(tree)".split(separator: "\n") where line.contains("deprecated") { print("log:\(line)") }
        }
        let client = Client(base: server.url("/")).record(in: recorder).log(to: log, level: .warning)
        let feed: Chain<Void, Json> = client.route(.get, "/feed").set(urgency: 5, incremental: true).build()
        for _ in 1...3 { _ = try await feed.call() }

        await client.flushRecords()
        let request = try await server.request(at: 0)
        print("asked with priority \(request.headers["Priority"] ?? "none")")
        for timing in recorder.records.first?.serverTimings ?? [] {
            print("\(timing.name): \(timing.duration ?? .zero) \(timing.description ?? "")")
        }
    }
}
