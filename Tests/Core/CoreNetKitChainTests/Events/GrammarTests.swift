import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import TestPace
import Testing
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
        let wait = event(.waitStarted(.init(.place)))
        let broken: [[CallEvent]] = [
            [], [start], [end()], [start, start, end()], [start, end(), end()],
            [start, wait, end()], [start, event(.waitEnded(.place, .done)), end()],
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
