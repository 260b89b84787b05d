import CoreNetKitObservability
import TestSupport

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
        try await (client ?? self.client).text(address)
    }

    /// The first record of the calls that have ended, or another one; it has no problems.
    func record(_ choose: ([CallRecord]) -> CallRecord? = { $0.first }) async throws -> CallRecord {
        let record = try #require(choose(await records()))
        #expect(record.problems == [])
        return record
    }

    /// The records of all calls that have ended, in the order of their starts.
    func records() async -> [CallRecord] {
        await client.flushRecords()
        return recorder.records.sorted { $0.call < $1.call }
    }
}

extension MockTransport {
    /// What a server does: responses to store, failures that pass and that stay, a redirect, a content that breaks off.
    func onUsualPaths() {
        let fresh = MockResponse.text("fresh").header("Cache-Control", "max-age=60")
        on(nil, "/fresh", fresh.header("Set-Cookie", "a=1"))
        on(nil, "/flaky", .status(503), .text("up"), .failure(.connectionLost), .text("up"))
        on(nil, "/away", .status(302, headers: ["Location": "/fresh"]))
        on(nil, "/broken", .status(500))
        on(nil, "/cut", MockResponse.chunks("one\n", "two\n").thenFailing(.connectionLost))
    }
}

extension CallRecord {
    /// The entries of an archive of this call alone.
    func entries() throws -> [Json] { try Json(parsing: HARWriter.data(of: [self]))["log"]?["entries"]?.array ?? [] }

    /// The spans of this call alone.
    func spans() throws -> [Json] { try Json(parsing: OTLPTraces.data(of: [self], service: "shop")).spans }

    func count(where holds: (CallEvent.Kind) -> Bool) -> Int { events.count { holds($0.kind) } }

    var attempts: Int { count { if case .attemptStarted = $0 { true } else { false } } }

    /// What was sent.
    var sent: [CallEvent.SentRequest] {
        events.compactMap { if case .exchangeStarted(let sent) = $0.kind { sent } else { nil } }
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
    var views: [String: String] { [self].views.filter { $0.key != "record" } }
}

extension [CallRecord] {
    /// Every view of these calls, and all that is in their records, to be searched.
    var views: [String: String] {
        let metrics = CallMetrics()
        for record in self { metrics.write(record) }
        var dumped = ""
        dump(self, to: &dumped)
        let spans = OTLPTraces.data(of: self, service: "s", includesCalls: true)
        return [
            "record": "\(self) \(String(reflecting: self)) \(dumped)",
            "log": map { LogTree($0, level: .debug).description }.joined(),
            "waterfall": TextWaterfall(columns: 400).text(of: self),
            "page": CallPage(self).html,
            "archive": String(decoding: HARWriter.data(of: self), as: UTF8.self),
            "curl": compactMap(\.curl).joined(),
            "spans": String(decoding: spans, as: UTF8.self),
            "metrics": metrics.prometheus + String(decoding: metrics.otlp(service: "s"), as: UTF8.self),
            "trace events": String(decoding: TraceEvents.data(of: self), as: UTF8.self),
        ]
    }
}

extension String {
    /// The sum of the rows of a series in the text for Prometheus.
    func total(_ name: String) -> Int {
        var sum = 0
        for line in split(separator: "\n") where line.hasPrefix(name + "{") {
            sum += line.split(separator: " ").last.flatMap { Int($0) } ?? 0
        }
        return sum
    }
}

extension Json {
    /// The spans of a message.
    var spans: [Json] { self["resourceSpans"]?[0]?["scopeSpans"]?[0]?["spans"]?.array ?? [] }

    /// The value of an attribute of a span.
    func attribute(_ name: String) -> String? {
        let value = self["attributes"]?.array?.first { $0["key"]?.string == name }?["value"]
        return value?["stringValue"]?.string ?? value?["intValue"]?.string
    }
}

extension CallRecorder {
    /// The record of the latest call of a client, once it is there.
    func last(of client: Client) async throws -> CallRecord {
        await client.flushRecords()
        return try #require(last)
    }
}

extension TemporaryFolder {
    /// Where its tape is.
    var tape: URL { self["tape.har"] }
}

/// The content of a response, as text.
func text(_ transport: any Transport, _ request: TransportRequest) async throws -> String {
    String(decoding: try await transport.send(request).body.collect(), as: UTF8.self)
}

/// A stream of these texts.
func chunks(_ texts: String...) -> RequestBody {
    .stream {
        AsyncThrowingStream { stream in
            for text in texts { stream.yield(Data(text.utf8)) }
            stream.finish()
        }
    }
}

/// A request of JSON.
func post(_ address: String, _ json: String, _ headers: Headers = [:]) -> TransportRequest {
    var fields: Headers = ["Content-Type": "application/json"]
    fields.merge(headers)
    return TransportRequest(method: .post, url: url(address), headers: fields, body: .bytes(Data(json.utf8)))
}
