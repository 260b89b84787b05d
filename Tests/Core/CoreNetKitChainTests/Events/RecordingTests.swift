import TestSupport

@Suite("The recording of a call", .paced)
struct RecordingTests {
    let get = TransportRequest(
        url: url("http://u:s3cret@a.test/x?token=s3cret"),
        headers: ["Authorization": "Bearer s3cret"]
    )
    func ok(_ timings: TransportTimings = .reused()) -> TransportResponse {
        TransportResponse(
            status: 200,
            headers: ["Set-Cookie": "a=s3cret"],
            body: .bytes(Data("{}".utf8)),
            url: get.url,
            timings: timings
        )
    }

    private func recording(_ feeds: [CallFeed], keepsBodies: Bool = false) -> CallRecording? {
        CallRecording(.init(feeds: feeds, keepsBodies: keepsBodies), call: 1, clock: .continuous, date: Date())
    }

    @Test("contains the whole call with two attempts")
    func twoAttempts() async throws {
        let stage = try Stage()
        stage.recording.note(
            .requestBuilt(method: .get, url: get.url.absoluteString, headers: get.headers),
            at: .init()
        )
        let first = stage.context()
        first.note(.attemptStarted)
        stage.exchange(get, TransportResponse(status: 503, url: get.url, timings: .fresh()), in: first, taking: 100)
        first.note(.attemptEnded(.init(status: 503, code: .unacceptableStatus)))
        first.note(.retryDecided(.init(true, after: .unacceptableStatus, delay: .milliseconds(50))))
        await first.waiting(for: .init(.backoff, planned: .milliseconds(50))) { stage.pass(50) }
        let second = stage.context(attempt: 2, depth: 1)
        second.note(.attemptStarted)
        stage.exchange(get, ok(), in: second)
        second.note(.attemptEnded(.init(status: 200)))
        let record = try await stage.end()
        #expect(record.problems.isEmpty)
        #expect(record.exchangeCount == 2)
        #expect(record.duration == .milliseconds(160))
        let causes = record.events.compactMap { event -> CallEvent.ExchangeCause? in
            if case .exchangeStarted(let sent) = event.kind { sent.cause } else { nil }
        }
        #expect(causes == [.first, .retry])
        #expect(!printed(record).joined().contains("s3cret"))
    }

    @Test("shows the log tree with its nodes' texts and levels")
    func logTree() async throws {
        let stage = try Stage(call: 7)
        let context = stage.context()
        context.note(.requestBuilt(method: .get, url: get.url.absoluteString, headers: get.headers))
        stage.exchange(get, ok(), in: context)
        context.record(.warning, "StatusNode", "first\r\nsecond\u{1B}[31m")
        let record = try await stage.end()

        let tree = LogTree(record)
        #expect(tree.lines.map(\.node) == ["TransportNode", "TransportNode", "StatusNode"])
        #expect(
            tree.description == """
                call 7 completed in 10.000 ms
                  0.000 ms info TransportNode: GET http://REDACTED:REDACTED@a.test/x?token=REDACTED
                  10.000 ms info TransportNode: status 200, 2 bytes, first byte after 15.000 ms, reused
                  10.000 ms warning StatusNode: first\\r\\nsecond\\u{1B}[31m
                """
        )
        #expect(LogTree(record, level: .debug).lines.contains { $0.message == "Authorization: Bearer REDACTED" })
        #expect(LogTree(record, excluding: ["TransportNode"]).lines.map(\.node) == ["StatusNode"])
        #expect(LogTree(record, level: .warning).lines.map(\.node) == ["StatusNode"])
    }

    @Test("closes what is open when the call ends, and accepts nothing afterwards")
    func closes() async throws {
        let stage = try Stage()
        let context = stage.context()
        context.note(.attemptStarted)
        context.note(.waitStarted(.init(.concurrency)))
        context.note(.waitStarted(.init(.token)))
        let record = try await stage.end(.cancelled)
        context.note(.waitEnded(.concurrency, .done))
        #expect(record.problems.isEmpty)
        #expect(record.events.count == 8)
    }

    @Test("accepts nothing from a cancelled branch after its attempt, before or in the next one")
    func lateBranch() async throws {
        let stage = try Stage()
        let first = stage.context()
        first.note(.attemptStarted)
        stage.exchange(get, ok(), in: first)
        first.note(.attemptEnded(.init(status: 503, code: .unacceptableStatus)))
        #expect(first.beginExchange(get)?.exchange == 0)
        first.note(.retryDecided(.init(true, after: .unacceptableStatus, delay: .zero)))
        let second = stage.context(attempt: 2)
        second.note(.attemptStarted)
        let late = first.beginExchange(get)
        #expect(late?.exchange == 0)
        first.endExchange(CancellationError(), at: late)
        stage.exchange(get, ok(), in: second)
        second.note(.attemptEnded(.init(status: 200)))
        let record = try await stage.end()
        #expect(record.problems.isEmpty)
        #expect(record.exchangeCount == 2)
    }

    @Test("stays open until a stream has ended, exactly once", arguments: [0, 1, 2])
    func lateEnd(kind: Int) async throws {
        let stage = try Stage()
        let context = stage.context()
        let location = try #require(context.beginExchange(get))
        var response = ok()
        response.body = .stream(ResponseStream(next: { nil }, cancel: {}))
        stage.recording.receive(response, at: location)
        var open: OpenExchange? = OpenExchange(stage.recording, at: location)
        stage.recording.finish(.completed)
        await stage.feed.flush()
        #expect(stage.records.withLock { $0.isEmpty })
        stage.pass(500)
        open?.read(10)
        if kind == 1 { open?.end() }
        if kind == 2 { open?.end(TransportError(.connectionLost, phase: .receive, message: "gone")) }
        open = nil

        let record = try await stage.record()
        #expect(record.problems.isEmpty)
        guard case .exchangeEnded(let end)? = record.events.last?.kind else {
            Issue.record("the last event is no end of an exchange")
            return
        }
        #expect(end.result == [.cancelled, .complete, .failed][kind])
        #expect(end.bytesRead == 10)
        #expect(record.duration == .zero)
        #expect(stage.records.withLock { $0.count } == 1)
    }

    @Test("creates no event and no message without listeners, and no line below the level")
    func silence() async throws {
        var made = 0
        func kind() -> CallEvent.Kind {
            made += 1
            return .attemptStarted
        }
        func text() -> String {
            made += 1
            return ""
        }
        RequestContext().note(kind())
        RequestContext().record(.error, "Node", text())
        let stage = try Stage(level: .warning)
        stage.context().record(.info, "Node", text())
        #expect(made == 0)
        stage.context().record(.warning, "Node", text())
        #expect(made == 1)
    }

    @Test("a stuck sink delays nothing, and what it cannot take is counted")
    func stuckSink() async throws {
        let sink = StuckSink()
        let feed = CallFeed(to: sink, limit: 10)
        for _ in 0..<100 { recording([feed])?.finish(.completed) }
        #expect(feed.droppedCount >= 80)
        sink.gate.signal()
        await feed.flush()
        #expect(sink.written.values.count + feed.droppedCount == 100)
        #expect(sink.dropped.values.reduce(0, +) == feed.droppedCount)
    }

    @Test("a hundred stuck sinks do not keep records from the others")
    func manyStuckSinks() async throws {
        let (sink, seen) = (StuckSink(), Signal())
        let stuck = (0..<100).map { _ in CallFeed(to: sink) }
        let free = CallFeed(to: ClosureCallSink { _ in seen.signal() })
        recording(stuck + [free])?.finish(.completed)
        await free.flush()
        #expect(seen.count == 1)
        sink.gate.signal()
        for feed in stuck { await feed.flush() }
    }

    @Test("a slow sink costs a bounded number of bytes: contents are cut before they wait for it")
    func boundedBytes() async throws {
        let sink = StuckSink()
        let feed = CallFeed(to: sink, byteLimit: 4 << 20)
        let response = TransportResponse(
            status: 200,
            headers: ["Content-Type": "application/x-www-form-urlencoded"],
            body: .bytes(Data(String(repeating: "a=" + String(repeating: "é", count: 510) + "&", count: 1 << 10).utf8)),
            url: get.url
        )
        for _ in 0..<600 {
            let recording = recording([feed], keepsBodies: true)
            let context = RequestContext(deadline: nil, clock: .continuous) { _ in recording }
            recording?.receive(response, at: try #require(context.beginExchange(get)))
            recording?.finish(.completed)
        }
        #expect(feed.waitingBytes > 3 << 20 && feed.waitingBytes <= 4 << 20)
        #expect(feed.droppedCount > 500)
        sink.gate.signal()
        await feed.flush()
        #expect(feed.waitingBytes == 0)
        let kept = sink.written.values.flatMap(\.events).compactMap { event -> Data? in
            if case .responseHead(let head) = event.kind { head.body ?? Data() } else { nil }
        }
        #expect(kept.count + feed.droppedCount == 600)
        #expect(kept.allSatisfy { $0.count > 60_000 && $0.count <= (64 << 10) + 3 && $0.suffix(3) == Data("…".utf8) })
    }

    @Test("drops lines, not ends, if a call has too many")
    func bounded() async throws {
        let stage = try Stage()
        let context = stage.context()
        for _ in 0..<5000 { context.record(.info, "Node", "again") }
        stage.exchange(get, ok(), in: context)
        let record = try await stage.end()
        #expect(record.events.count < 1010)
        #expect(record.droppedEvents >= 4000)
        #expect(record.problems.isEmpty)
    }

    /// Gets events while their calls run.
    private struct Live: LiveCallSink {
        let events = Recorder<String>()

        func write(_ event: CallEvent, of call: UInt64) { events.record("\(event.kind)") }
        func write(_ record: CallRecord) {}
    }

    @Test("a sink that is called at once gets no secrets either")
    func live() async throws {
        let live = Live()
        let feed = CallFeed(to: live)
        let context = RequestContext(deadline: nil, clock: .continuous) { _ in recording([feed]) }
        context.note(.requestBuilt(method: .get, url: get.url.absoluteString, headers: get.headers))
        let location = context.beginExchange(get)
        _ = context.receive(ok(), at: location)
        context.recording?.finish(.completed)
        await feed.flush()
        #expect(live.events.values.count > 3)
        #expect(!live.events.values.joined().contains("s3cret"))
    }
}
