import AlarmService
import CoreNetKit
import CoreNetKitSystem
import PushServersMock
import TestPace
import Testing

@Suite("A list's calls end once", .timeLimit(.minutes(10)), .paced)
struct AlarmListEndTests {
    /// The calls of a list, each of which has one end.
    enum ListCall: CaseIterable, Sendable {
        case refresh, loadMore, failedRefresh, givenUpPage, action, failedAction
    }

    @Test("an ended call stays silent when it is cancelled later", arguments: ListCall.allCases)
    func endsOnce(kind: ListCall) async throws {
        let bench = try Bench(5)
        let list = bench.list(pageSize: 2)
        try await list.refresh()
        var events: [String]
        switch kind {
        case .refresh: events = await end(of: list.refresh())
        case .loadMore: events = await end(of: list.loadMore())
        case .failedRefresh:
            bench.alarms.failPages(.status(500))
            events = await end(of: list.refresh())
        case .givenUpPage:
            bench.alarms.failPages(.stall)
            let page: Observer<AlarmSnapshot> = list.loadMore()
            let refresh: Observer<AlarmSnapshot> = list.refresh()
            events = await end(of: page)
            refresh.cancel()
        case .action: events = await end(of: list.markRead(5))
        case .failedAction:
            bench.alarms.failActions(.status(500))
            events = await end(of: list.markRead(5))
        }
        let isFailure = kind == .failedRefresh || kind == .failedAction
        #expect(events == [isFailure ? "error" : "completed", "defer"])
    }

    /// What a call tells when it is cancelled after its end.
    private func end<Model>(of call: Observer<Model>) async -> [String] {
        let events = Locked<[String]>([])
        let told: @Sendable (String) -> Void = { event in events.withLock { $0.append(event) } }
        let call = call.onCompleted { _ in told("completed") }.onError { _ in told("error") }
            .onCanceled { told("canceled") }.defer { told("defer") }
        await call.delivered()
        call.cancel()
        await call.delivered()
        return events.withLock { $0 }
    }
}
