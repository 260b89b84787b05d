import TestSupport

@testable import CoreNetKitChain

@Suite("The statistics of a call", .paced)
struct CallStatisticsTests {
    private let location = CallEvent.Location(exchange: 1)

    @Test("count a wait that nobody ended until the call's end, and no other one")
    func openWaits() {
        var statistics = CallStatistics(template: nil)
        statistics.take(.waitStarted(.init(.backoff)), at: 1_000_000_000, location)
        statistics.take(.waitEnded(.backoff, .done), at: 2_000_000_000, location)
        statistics.take(.waitStarted(.init(.backoff)), at: 3_000_000_000, location)
        statistics.closeWaits(at: 5_000_000_000)
        let seconds = statistics.waits.map(\.seconds)
        #expect(seconds == [1, 2])
    }

    @Test("of a request whose reader left are not those of a plain one")
    func cancelled() {
        var statistics = CallStatistics(template: nil)
        statistics.begin(.get, "http://a.test/", .first, at: 0, 1)
        statistics.receive(200, .v11, in: 1, at: 1)
        let before = statistics.plain != nil
        statistics.take(.exchangeEnded(.init(.cancelled)), at: 2, location)
        let after = statistics.plain != nil
        #expect(before && !after)
    }

    @Test("number the requests of a call that is counted and not recorded")
    func numbers() {
        let call = CountedCall(
            clock: .continuous,
            user: CallUser(),
            secrets: .standard,
            counter: Silence(),
            others: nil,
            template: nil
        )
        let context = RequestContext(call, deadline: nil)
        let request = TransportRequest(url: url("http://a.test/"))
        #expect([1, 2].allSatisfy { context.beginExchange(request)?.exchange == $0 })
    }
}

private final class Silence: CallCounter {
    func count(_ statistics: inout CallStatistics) {}
    func write(_ record: CallRecord) {}
}
