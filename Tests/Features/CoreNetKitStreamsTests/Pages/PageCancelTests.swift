import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import Testing

@Suite("Cancelled lists of pages", .timeLimit(.minutes(10)), .paced)
struct PageCancelTests {
    private struct Page: Decodable, Sendable {
        let items: [Int]
        let next: String?
    }

    @Test("cancelling during a page ends it on the wire; between pages nothing more is sent", arguments: [true, false])
    func cancelling(isDuring: Bool) async throws {
        let wire = try Wire()
        wire.server.on(.get, "/") { request in
            let page = LoopbackResponse.json("{\"items\":[1],\"next\":\"\(request.index + 2)\"}")
            return isDuring && request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
        let pages: Pages<Page> = wire.get("/").pages(.cursor(\.next, as: "cursor"))
        let gate = LoopbackGate()
        let count = Locked(0)
        let task = Task {
            for try await _ in pages {
                count.withLock { $0 += 1 }
                // Between two pages: the reader is busy until it is cancelled.
                if !isDuring { try? await gate.wait() }
            }
        }
        try await wire.server.wait { $0.requests == (isDuring ? 2 : 1) }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.withLock { $0 } <= 1 && wire.server.counts.requests == (isDuring ? 2 : 1))
        // Between pages the connection is kept for the next one.
        if isDuring { try await wire.server.wait { $0.open == 0 } }
    }
}
