import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitOutbox
import Foundation
import Synchronization

/// Runs the server, starts the app twice, and counts the coffee.
final class Narrator: Sendable {
    private struct Kitchen {
        var isOpen = false
        var keys: Set<String> = []
        var cups: [String] = []
        var requests = 0
    }

    private let kitchen = Mutex(Kitchen())

    func tell() async throws {
        let server = try LoopbackServer { [self] request in serve(request) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }

        say("1. The server is down (503). The app takes three orders.")
        try await start("write", folder, server.url)

        say("2. The server is up again. It will lose its first response on the way.")
        kitchen.withLock { $0.isOpen = true }
        try await start("deliver", folder, server.url)

        let (cups, requests) = kitchen.withLock { ($0.cups, $0.requests) }
        say("3. The kitchen got \(requests) requests and made: \(cups.joined(separator: ", ")).")
        say("   Three orders, each once, in their order; the lost response cost a request, not a cake.")
    }

    /// Carries out one order per key, as servers that honour keys do.
    private func serve(_ request: LoopbackRequest) -> LoopbackResponse {
        kitchen.withLock { kitchen in
            kitchen.requests += 1
            guard kitchen.isOpen else { return LoopbackResponse(status: 503) }
            let order = try? request.json(as: Order.self)
            if kitchen.keys.insert(request.headers["Idempotency-Key"] ?? "").inserted {
                kitchen.cups.append(order?.item ?? "?")
                if kitchen.cups.count == 1 { return .fault(.close(.beforeStatus)) }
            }
            return .json(String(decoding: request.body, as: UTF8.self), status: 201)
        }
    }

    private func start(_ what: String, _ folder: URL, _ server: URL) async throws {
        let process = Process()
        process.executableURL = Bundle.main.executableURL
        process.arguments = [what, folder.path, server.absoluteString]
        await withCheckedContinuation { continuation in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                say("   the app does not start: \(error)")
                process.terminationHandler = nil
                continuation.resume()
            }
        }
    }
}
