import CoreNetKitStreams
import TestSupport

@Suite("A prefetched page", .timeLimit(.minutes(10)), .paced)
struct PageAheadTests {
    private let wire: Wire
    private var pages: Pages<ItemPage> {
        var options = PageOptions()
        options.isPrefetching = true
        // No limit of its own ends the exchange.
        return wire.get("/").set(timeouts: Timeouts(phases: nil)).set(deadline: nil).pages(
            .cursor(\.next, as: "cursor"),
            options,
            reading: .json
        )
    }

    /// The second page never comes.
    init() throws {
        wire = try Wire()
        wire.server.on(.get, "/") { request in
            let page = LoopbackResponse.json("{\"items\":[\(request.index)],\"next\":\"\(request.index + 1)\"}")
            return request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
    }

    @Test("is abandoned if reading stops: its exchange ends on the wire")
    func dropped() async throws {
        do {
            var iterator = pages.makeAsyncIterator()
            #expect(try await iterator.next()?.items == [0])
            try await wire.server.wait { $0.stalls == 1 }
        }
        try await wire.server.wait { $0.stalls == 1 && $0.open == 0 }
        #expect(wire.server.counts.requests == 2)
    }

    @Test("is abandoned with the reader who waits for it")
    func cancelled() async throws {
        let pages = pages
        let reader = Task {
            var count = 0
            for try await _ in pages { count += 1 }
            return count
        }
        try await wire.server.wait { $0.stalls == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reader.value }
        try await wire.server.wait { $0.open == 0 }
    }
}

@Suite("Cancelled lists of pages", .timeLimit(.minutes(10)), .paced)
struct PageCancelTests {
    @Test("cancelling during a page ends it on the wire; between pages nothing more is sent", arguments: [true, false])
    func cancelling(isDuring: Bool) async throws {
        let wire = try Wire()
        wire.server.on(.get, "/") { request in
            let page = LoopbackResponse.json("{\"items\":[1],\"next\":\"\(request.index + 2)\"}")
            return isDuring && request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
        let pages: Pages<ItemPage> = wire.get("/").pages(.cursor(\.next, as: "cursor"), reading: .json)
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
