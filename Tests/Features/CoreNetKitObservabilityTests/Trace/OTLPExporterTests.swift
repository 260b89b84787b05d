import CoreNetKitObservability
import TestSupport

@Suite("The exporter to a collector", .timeLimit(.minutes(10)), .paced)
struct OTLPExporterTests {
    @Test("sends one client span for each exchange, in one message")
    func batch() async throws {
        let sending = Exporting(.json("{}"))
        sending.exporter.write(try await Samples.record())
        await sending.exporter.flush()
        #expect(sending.mock.requests.count == 1)
        let spans = try Json(parsing: sending.mock.requests[0].body).spans
        #expect(spans.map { $0["kind"]?.int } == [3, 3, 3])
        #expect(Set(spans.compactMap { $0["traceId"]?.string }).count == 1)
        #expect(Set(spans.compactMap { $0["spanId"]?.string }).count == 3)
        #expect(spans[0]["status"]?["code"]?.int == 2)
        #expect(spans[2]["status"]?["code"] == nil)
        #expect(spans.map { $0.attribute("http.request.resend_count") } == [nil, "1", "2"])
        #expect(sending.counts.sent == 3)
    }

    @Test(
        "repeats transient failures after the requested wait, and nothing else",
        arguments: [(503, 2, 3), (429, 2, 3), (400, 1, 0), (500, 1, 0)]
    )
    func retries(status: Int, requests: Int, sent: Int) async throws {
        let sending = Exporting(.status(status, headers: ["Retry-After": "7"]), .json("{}")) {
            ($0.queue, $0.batch) = (3, 3)
        }
        sending.exporter.write(try await Samples.record())
        if requests == 2 {
            try await sending.clock.waitForSleepers(1)
            #expect(sending.clock.sleepers.contains { $0.offset >= .seconds(7) })
            sending.clock.advance(by: .seconds(60))
        }
        await sending.exporter.flush()
        #expect(sending.mock.requests.count == requests)
        #expect(sending.counts.sent == sent)
        #expect(sending.counts.rejected == 3 - sent)
    }

    @Test("the span of a call has its waits as events, and its outcome")
    func waits() async throws {
        let data = OTLPTraces.data(of: [try await Samples.record()], service: "s", includesCalls: true)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""name":"wait place""#) && text.contains(#""name":"wait place ended""#))
        #expect(text.contains(#"{"key":"corenetkit.outcome","value":{"stringValue":"completed"}}"#))
        #expect(!text.contains("method_original"))
    }

    @Test("waits until a date by the given time of day")
    func retryDate() async throws {
        let busy = MockResponse.status(503, headers: ["Retry-After": "Sun, 09 Sep 2001 01:47:40 GMT"])
        let date = Date(timeIntervalSince1970: 1_000_000_000)
        let sending = Exporting(date: { date }, script: { $0.on(.post, "/v1/traces", busy, .json("{}")) })
        sending.exporter.write(try await Samples.record())
        let flushed = Task { await sending.exporter.flush(within: .seconds(3600)) }
        await until { sending.clock.sleepers.contains { $0.offset >= .seconds(60) && $0.offset < .seconds(62) } }
        sending.clock.advance(by: .seconds(62))
        #expect(await flushed.value == 0)
        #expect(sending.mock.requests.count == 2)
    }

    @Test("counts what the collector rejected, and does not send it again")
    func partialSuccess() async throws {
        let sending = Exporting(.json(#"{"partialSuccess":{"rejectedSpans":"2"}}"#))
        sending.exporter.write(try await Samples.record())
        await sending.exporter.flush()
        #expect(sending.counts.sent == 1)
        #expect(sending.counts.rejected == 2)
        #expect(sending.mock.requests.count == 1)
    }

    @Test("keeps no more than its queue while the collector is stuck")
    func stuck() async throws {
        let sending = Exporting(.stall) { ($0.queue, $0.batch) = (10, 4) }
        let record = try await Samples.record()
        for _ in 0..<100 { sending.exporter.write(record) }
        #expect(sending.counts.dropped >= 280)
    }

    @Test("omits what is not sampled")
    func sampling() async throws {
        let sending = Exporting(sampling: .ratio(0), script: { $0.on(.post, "/v1/traces", .json("{}")) })
        sending.exporter.write(try await Samples.record())
        await sending.exporter.flush()
        #expect(sending.mock.requests.isEmpty)
    }

    @Test("a collector away for an hour: bounded memory, a line for each change, no span of its own, counted loss")
    func collectorDown() async throws {
        let isUp = Locked(false)
        let sending = Exporting(limits: { $0.queue = 50 }) { mock in
            mock.on(.post, "/v1/traces") { _ in
                guard isUp.withLock({ $0 }) else { throw Self.unreachable }
                return .json("{}")
            }
        }
        let (exporter, clock) = (sending.exporter, sending.clock)
        let record = try await Samples.record()
        for _ in 0..<360 {
            exporter.write(record)
            clock.advance(by: .seconds(10))
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(exporter.counts.waiting <= 50)
        #expect(exporter.counts.dropped > 0)
        #expect(exporter.counts.sent == 0)
        #expect(sending.lines.count == 1, "\(sending.lines)")

        isUp.withLock { $0 = true }
        var written = 360
        while exporter.counts.sent == 0 {
            exporter.write(record)
            written += 1
            clock.advance(by: .seconds(10))
            for _ in 0..<20 { await Task.yield() }
        }
        await until { sending.lines.count == 2 }
        await exporter.flush()
        let final = exporter.counts
        #expect(final.waiting == 0)
        #expect(final.sent + final.dropped + final.rejected == written * 3)
        #expect(sending.mock.requests.allSatisfy { !$0.headers.contains("traceparent") })
    }

    @Test("what is left after the time for the end is counted as lost")
    func leftAtTheEnd() async throws {
        let sending = Exporting(.stall)
        let exporter = sending.exporter
        exporter.write(try await Samples.record())
        let end = Task { await exporter.shutdown(within: .seconds(5)) }
        try await sending.mock.waitForRequests(1)
        await until { !sending.clock.sleepers.isEmpty }
        sending.clock.advance(by: .seconds(5))
        #expect(await end.value == 3)
        await until { exporter.counts.dropped == 3 }
        exporter.write(try await Samples.record())
        #expect(exporter.counts.dropped == 6)
        #expect(exporter.counts.waiting == 0)
    }

    /// How the end of an exporter is waited for.
    enum Ending: CaseIterable, Sendable {
        case flush, shutdown
    }

    @Test(
        "flush and shutdown retry after transient failures, after the requested wait",
        arguments: [429, 502, 503, 504],
        Ending.allCases
    )
    func endRepeats(status: Int, ending: Ending) async throws {
        let sending = Exporting(.status(status, headers: ["Retry-After": "3"]), .json("{}"))
        let (exporter, clock, mock) = (sending.exporter, sending.clock, sending.mock)
        exporter.write(try await Samples.record())
        let end = Task { ending == .flush ? await exporter.flush() : await exporter.shutdown(within: .seconds(20)) }
        // The limit, and the wait before the repetition.
        try await clock.waitForSleepers(2)
        #expect(mock.requests.count == 1)
        clock.advance(by: .seconds(2))
        #expect(clock.sleepers.count == 2)
        clock.advance(by: .seconds(2))
        #expect(await end.value == 0)
        #expect(exporter.counts.sent == 3 && exporter.counts.dropped == 0)
        #expect(mock.requests.count == 2)
        #expect(sending.lines == [])
    }

    @Test("shutdown repeats as long as there is time, and reports what was lost and why", arguments: [true, false])
    func endIsLost(isReached: Bool) async throws {
        let sending = Exporting(isReached ? .status(503) : .failure(Self.unreachable))
        let (exporter, clock, mock) = (sending.exporter, sending.clock, sending.mock)
        exporter.write(try await Samples.record())
        let end = Task { await exporter.shutdown(within: .seconds(60)) }
        let driver = Task {
            while true {
                try await clock.waitForSleepers(2)
                try await clock.advanceToNextSleeper()
            }
        }
        #expect(await end.value == 3)
        driver.cancel()
        #expect(exporter.counts.dropped == 3 && exporter.counts.waiting == 0)
        // More often than a message is repeated in passing.
        #expect(mock.requests.count > OTLPExporter.Limits().retries + 1)
        #expect(sending.lines.last == "3 spans are lost")
        #expect(!isReached || !sending.lines.contains("the collector cannot be reached"))
    }

    @Test("a flush returns when earlier records are sent, however many arrive meanwhile")
    func flushOfABusyExporter() async throws {
        let sending = Exporting(.json("{}")) { $0.queue = 1_000_000 }
        let exporter = sending.exporter
        let record = try await Samples.record()
        exporter.write(record)
        // Each message that is sent is followed by more.
        sending.mock.on(.post, "/v1/traces") { _ in
            exporter.write(record)
            return .json("{}")
        }
        #expect(await exporter.flush() == 0)
        #expect(exporter.counts.sent >= 3)
        await exporter.shutdown(within: .zero)
    }

    private static let unreachable = TransportError(.cannotConnect, phase: .connect, message: "down")

    @Test("a message has at least one span", arguments: [0, -1])
    func smallest(size: Int) async throws {
        let sending = Exporting(.json("{}")) { $0.batch = size }
        sending.exporter.write(try await Samples.record())
        #expect(await sending.exporter.flush() == 0)
        #expect(sending.mock.requests.count == 3 && sending.counts.sent == 3)
    }

    @Test("a collector that refuses every message produces one log line, with the status", arguments: [401, 404])
    func refused(status: Int) async throws {
        let sending = Exporting(.status(status), .status(status), .json("{}"))
        for _ in 1...3 {
            sending.exporter.write(try await Samples.record())
            await sending.exporter.flush()
        }
        let refusal = "the collector refuses what it gets: status \(status)"
        #expect(sending.lines == [refusal, "the collector is back"])
        #expect(sending.counts.rejected == 6 && sending.counts.sent == 3)
    }

    @Test("a shutdown ends running requests, however it meets the call that began it")
    func shutdown() async throws {
        let record = try await Samples.record()
        let open = Locked(0)
        let transport = ClosureTransport { _ in
            open.withLock { $0 += 1 }
            defer { open.withLock { $0 -= 1 } }
            // Until it is cancelled.
            try await ContinuousClock().sleep(for: .seconds(3600))
            throw CancellationError()
        }
        for _ in 0..<TestRounds.count(300) {
            let exporter = Exporting(transport, limits: { $0.batch = 1 }).exporter
            let writing = Task.detached { exporter.write(record) }
            while exporter.counts.waiting == 0 { await Task.yield() }
            await exporter.shutdown(within: .zero)
            await writing.value
        }
        while open.withLock({ $0 }) > 0 { await Task.yield() }
    }
}
