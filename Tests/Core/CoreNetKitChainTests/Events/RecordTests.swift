import Dispatch
import TestSupport

@Suite("The grammar of events", .paced)
struct GrammarTests {
    private func event(_ kind: CallEvent.Kind, attempt: Int = 1, branch: Int = 0, exchange: Int = 0, at time: Int64 = 0)
        -> CallEvent
    {
        CallEvent(kind, at: time, .init(attempt: attempt, branch: branch, exchange: exchange))
    }

    private var start: CallEvent { event(.callStarted(remaining: nil)) }
    private func end(open: Int = 0) -> CallEvent { event(.callEnded(.completed, open: open)) }
    private func sent(_ number: Int) -> CallEvent {
        event(.exchangeStarted(.init(TransportRequest(url: url("http://a.test/")))), exchange: number)
    }
    private func head(_ number: Int) -> CallEvent {
        event(.responseHead(.init(TransportResponse(status: 200, url: url("http://a.test/")))), exchange: number)
    }
    private func redirect(_ number: Int) -> CallEvent {
        event(.redirectDecided(.init(status: 302, target: "http://a.test/b")), exchange: number)
    }
    private func over(_ number: Int) -> CallEvent { event(.exchangeEnded(.init(.complete)), exchange: number) }

    @Test("accepts complete records")
    func accepts() {
        let hedged = [
            start, event(.attemptStarted), sent(1), event(.hedgeStarted(after: .zero)), sent(2), head(2), over(2),
            event(.attemptEnded(.init(status: 200))), end(open: 1), over(1),
        ]
        #expect(CallGrammar.problems(in: hedged) == [])
        #expect(CallGrammar.problems(in: [start, sent(1), head(1), over(1), end()]) == [])
        #expect(CallGrammar.problems(in: [start, end()]) == [])
        let left = event(.callEnded(.cancelled, open: 0))
        #expect(CallGrammar.problems(in: [start, left, sent(1), head(1), over(1)]) == [])
        let redirected = [start, sent(1), head(1), over(1), redirect(1), sent(2), head(2), redirect(2), over(2), end()]
        #expect(CallGrammar.problems(in: redirected) == [])
    }

    @Test("detects each kind of broken record")
    func refuses() {
        let wait = event(.waitStarted(.init(.concurrency)))
        let broken: [[CallEvent]] = [
            [], [start], [end()], [start, start, end()], [start, end(), end()],
            [start, wait, end()], [start, event(.waitEnded(.concurrency, .done)), end()],
            [start, wait, event(.waitEnded(.rate, .done)), end()],
            [start, event(.attemptStarted), end()],
            [start, event(.attemptStarted), event(.attemptStarted), event(.attemptEnded(.init())), end()],
            [start, event(.attemptStarted, attempt: 2), event(.attemptEnded(.init()), attempt: 2), end()],
            [start, sent(1), end()], [start, sent(2), over(2), end()], [start, sent(1), over(1), over(1), end()],
            [start, sent(1), head(1), head(1), over(1), end()], [start, over(1), end()],
            [start, sent(1), head(1), end(open: 1)], [start, sent(1), over(1), end(open: 1)],
            [start, event(.attemptStarted), event(.attemptEnded(.init())), sent(1), over(1), end()],
            [start, event(.decoded(Int.self, bytes: 0)), event(.decoded(Int.self, bytes: 0)), end()],
            [start, event(.line(.info, "A", ""), at: 2), event(.line(.info, "A", ""), at: 1), end()],
            [start, event(.retryDecided(.init(true, after: .notFound))), end()],
            [start, end(), event(.line(.info, "A", ""))],
            [start, end(), sent(1), head(1), over(1)], [start, event(.callEnded(.cancelled, open: 0)), sent(1)],
            [start, redirect(1), end()], [start, sent(1), redirect(1), over(1), end()],
        ]
        for (index, events) in broken.enumerated() {
            #expect(!CallGrammar.problems(in: events).isEmpty, "record \(index)")
        }
    }
}

@Suite("The end of a record", .timeLimit(.minutes(10)), .paced)
struct RecordEndTests {
    @Test("comes when a stream is closed, whoever still holds it")
    func closed() async throws {
        let sink = RecordingSink()
        let transport = ClosureTransport { request in
            let stream = ResponseStream(next: { Data("abc".utf8) }, cancel: {})
            return .init(status: 200, body: .stream(stream), url: request.url)
        }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .record(to: sink).route(.get, "http://a.test/").loadStream()
        let stream: ResponseStream = try await chain.process()
        var chunks = stream.makeAsyncIterator()
        _ = try await chunks.next()
        stream.close()
        let record = try #require(await sink.waitForRecords(1).first)
        let ends = record.events.compactMap { event -> CallEvent.ExchangeEnd? in
            if case .exchangeEnded(let end) = event.kind { end } else { nil }
        }
        #expect(ends.map(\.result) == [.cancelled] && ends.first?.bytesRead == 3)
        #expect(try await chunks.next() == nil)
    }

    @Test("is not waited for by a cancelled task any longer, even if a sink is stuck")
    func stuck() async throws {
        let sink = StuckSink()
        let feed = CallFeed(to: sink)
        let client = Client(transport: ClosureTransport()).record(through: feed)
        try await UrlChainsBuilder<String>(client: client).route(.get, "http://a.test/").build().process()
        let flush = Task { await feed.flush() }
        await Task.yield()
        flush.cancel()
        await flush.value
        sink.gate.signal()
        await feed.flush()
    }
}

/// Takes no record before its gate opens.
struct StuckSink: CallSink {
    let gate = DispatchSemaphore(value: 0)
    let written = Recorder<CallRecord>()
    let dropped = Recorder<Int>()

    func write(_ record: CallRecord) {
        gate.wait()
        gate.signal()
        written.record(record)
    }

    func recordsDropped(_ count: Int) { dropped.record(count) }
}
