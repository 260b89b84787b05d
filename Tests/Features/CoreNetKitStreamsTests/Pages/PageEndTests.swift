import CoreNetKitStreams
import TestSupport

@Suite("Lists of pages whose reader leaves", .timeLimit(.minutes(10)), .paced)
struct PageEndTests {
    private let wire: Wire

    /// The second page never comes.
    init() throws {
        wire = try Wire()
        wire.server.on(.get, "/") { request in
            let page = LoopbackResponse.json("{\"items\":[\(request.index)],\"next\":\"\(request.index + 1)\"}")
            return request.index == 1 ? page.fault(.stall(.beforeStatus)) : page
        }
    }

    private func pages(isPrefetching: Bool) -> Pages<ItemPage> {
        var options = PageOptions()
        options.isPrefetching = isPrefetching
        // No limit of its own ends the exchange.
        return wire.get("/").set(timeouts: Timeouts(phases: nil)).set(deadline: nil)
            .pages(.cursor(\.next, as: "cursor"), options, reading: .json)
    }

    @Test("a prefetched page is abandoned if reading stops: its exchange ends on the wire")
    func dropped() async throws {
        do {
            var iterator = pages(isPrefetching: true).makeAsyncIterator()
            #expect(try await iterator.next()?.items == [0])
            try await wire.server.wait { $0.stalls == 1 }
        }
        try await wire.server.wait { $0.stalls == 1 && $0.open == 0 }
        #expect(wire.server.counts.requests == 2)
    }

    @Test(
        "cancelling during a page ends it on the wire, prefetched or not, and is not converted",
        arguments: [true, false],
        [true, false]
    )
    func cancelled(isPrefetching: Bool, isMapped: Bool) async throws {
        let plain = pages(isPrefetching: isPrefetching)
        let pages = isMapped ? plain.map { $0 }.mapError { _ in CocoaError(.coderInvalidValue) } : plain
        let reader = Task { try await pages.collect().count }
        try await wire.server.wait { $0.stalls == 1 }
        reader.cancel()
        await #expect(throws: CancellationError.self) { _ = try await reader.value }
        try await wire.server.wait { $0.open == 0 }
        #expect(wire.server.counts.requests == 2)
    }

    @Test("cancelling between two pages sends nothing more")
    func between() async throws {
        let (pages, gate) = (pages(isPrefetching: false), LoopbackGate())
        // The reader is busy until it is cancelled.
        let reader = Task { for try await _ in pages { try? await gate.wait() } }
        try await wire.server.wait { $0.requests == 1 }
        reader.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(wire.server.counts.requests == 1)
    }
}
