import CoreNetKit
import CoreNetKitMock
import CoreNetKitObservability
import Foundation

/// A client on a mock and a manual clock whose calls are recorded, contents included.
final class Scene: Sendable {
    let clock = ManualClock()
    let recorder = CallRecorder(keepsBodies: true)
    let mock: MockTransport
    let client: Client

    init(
        date: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1_767_225_600) },
        _ script: (MockTransport) -> Void
    ) {
        mock = MockTransport(clock: clock, script)
        client = Client(transport: mock, clock: CallClock(clock), seed: 1, date: date).record(in: recorder)
    }

    func get(_ address: String, _ client: Client? = nil) async throws -> String {
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client ?? self.client).route(.get, address).build()
        return try await chain.process()
    }

    /// The records of all calls that have ended, in the order of their starts.
    func records() async -> [CallRecord] {
        await client.flushRecords()
        return recorder.records.sorted { $0.call < $1.call }
    }
}

/// Gives other tasks their turn until something holds; the suite's time limit ends a wait for what never comes.
func until(_ holds: () -> Bool) async {
    while !holds() { await Task.yield() }
}

extension CallRecord {
    /// The entries of an archive of this call alone.
    func entries() throws -> [Json] { try Json(parsing: HARWriter.data(of: [self]))["log"]?["entries"]?.array ?? [] }

    /// The spans of this call alone.
    func spans() throws -> [Json] {
        let json = try Json(parsing: OTLPTraces.data(of: [self], service: "shop"))
        return json["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.array ?? []
    }

    func count(where holds: (CallEvent.Kind) -> Bool) -> Int { events.count { holds($0.kind) } }

    var attempts: Int {
        count { if case .attemptStarted = $0 { true } else { false } }
    }

    /// How each wait ended.
    var waitEnds: [CallEvent.Wait.End] {
        events.compactMap { if case .waitEnded(_, let end) = $0.kind { end } else { nil } }
    }

    /// How each exchange ended.
    var exchangeEnds: [CallEvent.ExchangeEnd] {
        events.compactMap { if case .exchangeEnded(let end) = $0.kind { end } else { nil } }
    }

    var isCancelled: Bool { if case .cancelled = outcome { true } else { false } }
    var isCompleted: Bool { if case .completed = outcome { true } else { false } }

    /// Every view of this call, to be searched.
    var views: [String: String] {
        let metrics = CallMetrics()
        metrics.write(self)
        return [
            "log": LogTree(self, level: .debug).description,
            "waterfall": TextWaterfall(columns: 400).text(of: self),
            "page": CallPage([self]).html,
            "archive": String(decoding: HARWriter.data(of: [self]), as: UTF8.self),
            "curl": curl ?? "",
            "spans": String(decoding: OTLPTraces.data(of: [self], service: "s", includesCalls: true), as: UTF8.self),
            "metrics": metrics.prometheus,
            "trace events": String(decoding: TraceEvents.data(of: [self]), as: UTF8.self),
        ]
    }
}

extension Json {
    /// The value of an attribute of a span.
    func attribute(_ name: String) -> String? {
        let value = self["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]
        return value?["stringValue"]?.string ?? value?["intValue"]?.string
    }
}
