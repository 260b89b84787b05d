import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The latest call of a chain", .timeLimit(.minutes(10)), .paced)
struct LatestChainTests {
    /// A server that takes a second less with each request: the first response would come last.
    private final class Slow: Sendable {
        let wire: Wire
        let cancelled = Recorder<Int>()

        init() {
            let (clock, cancelled) = (ManualClock(), cancelled)
            wire = Wire(clock) { index, request in
                do {
                    try await clock.sleep(for: .seconds(max(10 - index, 1)))
                } catch {
                    cancelled.record(index)
                    throw error
                }
                return .init(status: 200, body: .bytes(Data((request.url.query() ?? "").utf8)), url: request.url)
            }
        }

        var builder: UrlChainsBuilder<String> { UrlChainsBuilder(client: wire.client()).set(deadline: nil) }

        func search(_ builder: UrlChainsBuilder<String>, _ text: String) -> Task<String, any Error> {
            let chain: Chain<[String: String], String> = builder.route(.get, host).build()
            return Task { try await chain.process(["q": text]) }
        }
    }

    @Test("cancels the running one of its key on the wire; the newest wins, even if it is sent last")
    func overtakes() async throws {
        let slow = Slow()
        let debouncer = Debouncer()
        var calls: [Task<String, any Error>] = []
        for text in ["s", "sw", "swi"] {
            calls.append(slow.search(slow.builder.latest("search", in: debouncer), text))
            await until { slow.wire.count == calls.count }
        }
        let other = slow.search(slow.builder.latest("other", in: debouncer), "x")
        await until { slow.wire.count == 4 }
        for call in calls.dropLast() { await #expect(throws: CancellationError.self) { try await call.value } }
        await until { slow.cancelled.values.count == 2 }
        await slow.wire.clock.sleeping(7, 8)
        slow.wire.clock.advance(by: .seconds(8))
        #expect(try await calls[2].value == "q=swi")
        #expect(try await other.value == "q=x")
        #expect(slow.cancelled.values.sorted() == [0, 1])
    }

    @Test("a call cancelled by its caller leaves the next one alone")
    func cancelled() async throws {
        let slow = Slow()
        let builder = slow.builder.latest("search", in: Debouncer())
        let first = slow.search(builder, "s")
        await until { slow.wire.count == 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let second = slow.search(builder, "sw")
        await slow.wire.clock.sleeping(9)
        slow.wire.clock.advance(by: .seconds(9))
        #expect(try await second.value == "q=sw")
    }

    @Test("an overtaken observer is cancelled before the new call is sent")
    func observer() async throws {
        let slow = Slow()
        let builder = slow.builder.latest("search", in: Debouncer())
        let events = Recorder<String>()
        let chain: Chain<[String: String], String> = builder.route(.get, host).build()
        let first: Observer<String> = chain.process(["q": "s"])
        first.dispatchOn(.global()).onCompleted { _ in events.record("completed") }.onError { _ in
            events.record("error")
        }
        .onCanceled { events.record("canceled") }.defer { events.record("defer") }
        await until { slow.wire.count == 1 }
        let second = slow.search(builder, "sw")
        await until { events.values.count == 2 }
        await slow.wire.clock.sleeping(9)
        slow.wire.clock.advance(by: .seconds(10))
        #expect(try await second.value == "q=sw")
        #expect(events.values == ["canceled", "defer"])
    }

    @Test("debounce also cancels the one that was already sent, as soon as the next one comes")
    func debounced() async throws {
        let slow = Slow()
        let builder = slow.builder.debounce("search", for: .seconds(3), in: Debouncer())
        let first = slow.search(builder, "s")
        await slow.wire.clock.sleeping(3)
        slow.wire.clock.advance(by: .seconds(3))
        await slow.wire.clock.sleeping(13)
        let second = slow.search(builder, "sw")
        await #expect(throws: CancellationError.self) { try await first.value }
        await until { slow.cancelled.values == [0] }
        await slow.wire.clock.sleeping(6)
        slow.wire.clock.advance(by: .seconds(3))
        await slow.wire.clock.sleeping(15)
        slow.wire.clock.advance(by: .seconds(9))
        #expect(try await second.value == "q=sw")
        #expect(slow.wire.count == 2)
    }
}
