import CoreNetKit
import CoreNetKitSystem
import TestPace
import Testing

@Suite("The latest call of a key", .timeLimit(.minutes(10)), .paced)
struct LatestTests {
    @Test("cancels the running one before it")
    func overtakes() async throws {
        let debouncer = Debouncer()
        let gates = (0..<3).map { _ in Gate() }
        var calls: [Task<Int, any Error>] = []
        for (index, gate) in gates.enumerated() {
            calls.append(
                Task {
                    try await debouncer.latest("search") {
                        try await gate.pass()
                        return index
                    }
                }
            )
            await gate.arrived(1)
        }
        let other = Task { try await debouncer.latest("other") { 7 } }
        #expect(try await other.value == 7)
        for call in calls.dropLast() { await #expect(throws: CancellationError.self) { try await call.value } }
        gates[2].open()
        #expect(try await calls[2].value == 2)
    }

    @Test("a result that arrives after a newer call has begun is dropped, even if its work did not notice")
    func stale() async throws {
        let debouncer = Debouncer()
        let (old, new) = (Gate(), Gate())
        let first = Task {
            try await debouncer.latest("search") {
                // Work that cannot be cancelled.
                try await Task { try await old.pass() }.value
                return "stale"
            }
        }
        await old.arrived(1)
        let second = Task {
            try await debouncer.latest("search") {
                try await new.pass()
                return "fresh"
            }
        }
        await new.arrived(1)
        old.open()
        await #expect(throws: CancellationError.self) { try await first.value }
        new.open()
        #expect(try await second.value == "fresh")
    }

    @Test("is cancelled with its caller, and leaves the key to the next")
    func cancelled() async throws {
        let debouncer = Debouncer()
        let gate = Gate()
        let call = Task { try await debouncer.latest("search") { try await gate.pass() } }
        await gate.arrived(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await debouncer.latest("search") { 1 } == 1)
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await debouncer.latest("search") { throw Failure() } }
    }

    @Test("of many concurrent calls only the last one to begin gets its result")
    func crowd() async {
        for _ in 0..<50 {
            let debouncer = Debouncer()
            let results = await withTaskGroup(of: Int?.self, returning: [Int].self) { group in
                for index in 0..<16 {
                    group.addTask {
                        try? await debouncer.latest("key") {
                            for _ in 0..<8 { await Task.yield() }
                            return index
                        }
                    }
                }
                return await group.reduce(into: []) { found, index in found += index.map { [$0] } ?? [] }
            }
            // Those that ended before the next one began have their results too.
            #expect(!results.isEmpty && Set(results).count == results.count)
        }
    }
}
