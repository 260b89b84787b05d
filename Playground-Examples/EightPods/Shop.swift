import CoreNetKit
import CoreNetKitLoopback
import Foundation
import Synchronization

/// The server of all pods: issues each refresh token once, counts requests, and lets none start before all are there.
final class Shop: Sendable {
    private final class Books: Sendable {
        let story = Mutex(Story())
        let present = Mutex<Set<Int>>([])

        func response(to request: LoopbackRequest) throws -> LoopbackResponse {
            guard let pod = request.headers["X-Pod"].flatMap({ Int($0) }), (1...EightPods.count).contains(pod) else {
                return .status(400)
            }
            switch request.path {
            case "/ready":
                let isReady = present.withLock { present in
                    present.insert(pod)
                    return present.count == EightPods.count
                }
                return isReady ? .text("go") : .status(503)
            case "/token":
                let login = try JSONDecoder().decode(Pod.Login.self, from: request.body)
                return try .json(encoding: story.withLock { $0.renewed(login, pod) })
            case "/work":
                let isValid = story.withLock { $0.works(request.headers["Authorization"] ?? "", pod) }
                return isValid ? .text("done") : .status(401)
            case "/price":
                story.withLock { $0.prices += 1 }
                return LoopbackResponse(headers: ["Cache-Control": "max-age=1"], body: .text("9.99"))
            case "/report":
                let figures = try JSONDecoder().decode([String: Int].self, from: request.body)
                story.withLock { story in
                    story.pods[pod - 1].hits = figures["hits"] ?? 0
                    story.pods[pod - 1].lookups = figures["lookups"] ?? 0
                }
                return .text("thanks")
            default: return .status(404)
            }
        }
    }

    private let books = Books()
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer(recording: .off) { [books] request in try books.response(to: request) }
    }

    var address: String { "http://127.0.0.1:\(server.port)" }
    var story: Story { books.story.withLock { $0 } }

    /// Waits until all are there, and lets the shared token expire three times.
    func open() async throws {
        while books.present.withLock({ $0.count < EightPods.count }) { try await Task.sleep(for: .milliseconds(10)) }
        for _ in 0..<3 {
            try await Task.sleep(for: EightPods.length / 4)
            books.story.withLock { $0.expire() }
        }
    }
}
