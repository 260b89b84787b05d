public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Counts calls: the duration histogram of OpenTelemetry, and statistics of the policies.
///
/// ```swift
/// let metrics = CallMetrics()
/// let client = Client().record(to: metrics)
/// let text = metrics.prometheus    // for a route of your own
/// ```
///
/// A call is counted when it ends, as part of the call: nothing is lost, however many calls there are, and nothing has to
/// be flushed. Hosts, methods and errors are external input: when the limit of series is reached, all others share one.
/// - SeeAlso: [HTTP client metrics](https://opentelemetry.io/docs/specs/semconv/http/http-metrics/)
public final class CallMetrics: CallCounter {
    private struct Histogram {
        static let width = MetricTable.limits.count + 1
        var counts = [UInt64](repeating: 0, count: width)
        var sum = 0.0

        @inline(__always)
        static func bucket(of seconds: Double) -> Int {
            MetricTable.limits.firstIndex { seconds <= $0 } ?? MetricTable.limits.count
        }

        mutating func add(_ seconds: Double) {
            counts[Self.bucket(of: seconds)] += 1
            sum += seconds
        }

        var value: MetricTable.Value { .histogram(counts: counts, sum: sum) }
    }

    private struct State {
        /// The series of durations, in order of creation; never removed.
        var labels: [HTTPLabels] = []
        // Their histograms side by side, as plain numbers that each call changes in place.
        var counts: [UInt64] = []
        var sums: [Double] = []
        var positions: [HTTPLabels: Int] = [:]
        var table = SeriesTable()
        /// By outcome.
        var calls = [UInt64](repeating: 0, count: CallStatistics.Outcome.allCases.count)
        var waits: [CallEvent.Wait.Kind: Histogram] = [:]
        var pings = Histogram()
        var counters: [Counter: UInt64] = [:]
        var events: [String: UInt64] = [:]
        var gauges: [Gauge] = []

        @inline(__always)
        mutating func add(_ seconds: Double, to index: Int) {
            counts[index * Histogram.width + Histogram.bucket(of: seconds)] &+= 1
            sums[index] += seconds
        }
    }

    private typealias Gauge = (name: String, help: String, read: @Sendable () -> [[String: String]: Int])

    private struct Counter: Hashable {
        let metric: String
        let label: String
        let value: String
    }

    private let state = Locked(State())
    private let active = ActiveRequests()
    private let limit: Int
    private let date: @Sendable () -> Date
    private let start: Date

    /// Creates an empty table; durations beyond this number of series share one.
    public init(seriesLimit limit: Int = 2000, date: @escaping @Sendable () -> Date = { Date() }) {
        (self.limit, self.date, start) = (max(limit, 1), date, date())
    }

    /// Counts a call.
    public func write(_ record: CallRecord) {
        var statistics = CallStatistics(record)
        count(&statistics)
    }

    /// Counts a call as it ends, so that nothing can be lost.
    package func count(_ statistics: inout CallStatistics) {
        state.withLock { state in
            state.calls[statistics.outcome.rawValue] &+= 1
            if let plain = statistics.plain,
                let index = state.table.series(of: plain.kind, statistics.first.url, statistics.template, nil)
            {
                return state.add(plain.seconds, to: index)
            }
            countParts(of: &statistics, in: &state)
        }
    }

    /// Counts a call with more than one request, an error, or an unknown series.
    private func countParts(of statistics: inout CallStatistics, in state: inout State) {
        let template = statistics.template
        statistics.forEachExchange { exchange, endpoint in
            let kind = exchange.kind(hasTemplate: template != nil)
            let known = kind.flatMap { state.table.series(of: $0, exchange.url, template, endpoint) }
            let index = known ?? series(of: exchange, endpoint, kind, template, in: &state)
            state.add(exchange.seconds, to: index)
            if exchange.cause != .first { count(&state, "corenetkit.client.resends", "cause", "\(exchange.cause)") }
        }
        if statistics.isPlain { return }
        for outcome in statistics.cache { count(&state, "corenetkit.client.cache", "outcome", "\(outcome.kind)") }
        for wait in statistics.waits { state.waits[wait.kind, default: Histogram()].add(wait.seconds) }
        for socket in statistics.sockets { count(socket, &state) }
        for decision in statistics.endpoints { count(decision, &state) }
        if statistics.isJoined { count(&state, "corenetkit.client.joined", "", "") }
    }

    /// The series of a request that is not in the fast table.
    private func series(
        of exchange: CallStatistics.Sent,
        _ endpoint: String?,
        _ kind: CallStatistics.Kind?,
        _ template: String?,
        in state: inout State
    ) -> Int {
        var labels = HTTPLabels(exchange, template: template, endpoint: endpoint)
        let isKnown = state.positions[labels] != nil || state.positions.count < limit
        if !isKnown {
            count(&state, "corenetkit.client.series.dropped", "", "")
            labels = .other
        }
        let index = state.positions[labels] ?? state.labels.count
        if index == state.labels.count {
            state.labels.append(labels)
            state.counts += [UInt64](repeating: 0, count: Histogram.width)
            state.sums.append(0)
            state.positions[labels] = index
        }
        if isKnown, let kind { state.table.add(kind, exchange.url, template, endpoint, to: index) }
        return index
    }

    /// Counts lost records.
    public func recordsDropped(_ count: Int) {
        state.withLock { self.count(&$0, "corenetkit.client.records.dropped", "", "", by: UInt64(max(count, 0))) }
    }

    /// Counts an event outside calls, such as a failure of a fleet's store: `metrics.count(event: event.name)`.
    ///
    /// - Parameter name: Its name, one of few: after a hundred names all others are `other`.
    public func count(event name: String) {
        state.withLock { state in
            let isKnown = state.events[name] != nil || state.events.count < Self.mostEvents
            state.events[isKnown ? name : "other", default: 0] &+= 1
        }
    }

    private static let mostEvents = 100

    /// Counts the requests in flight, which records of finished calls cannot show.
    ///
    /// A separate sink, because it needs each event as it happens: `client.record(to: metrics).record(to:
    /// metrics.activeRequests)`.
    public var activeRequests: ActiveRequests { active }

    /// Adds a gauge, which is read whenever the statistics are.
    ///
    /// - Parameters:
    ///   - name: Its name, with dots; gauges of one name are one metric.
    ///   - help: What it says, in a sentence.
    ///   - read: Its values by their labels, such as `gauges` of `Endpoints`; must be quick. It is kept as long as this object.
    public func gauge(_ name: String, _ help: String, _ read: @escaping @Sendable () -> [[String: String]: Int]) {
        state.withLock { $0.gauges.append((name, help, read)) }
    }

    /// All statistics as the text that Prometheus scrapes.
    public var prometheus: String { table.prometheus }

    /// All statistics of the named program as the body of a `POST /v1/metrics` of OTLP, a JSON text.
    public func otlp(service: String) -> Data { Data(table.otlp(OTLPResource(service: service))) }

    private func count(
        _ state: inout State,
        _ metric: String,
        _ label: String,
        _ value: String,
        by amount: UInt64 = 1
    ) {
        state.counters[Counter(metric: metric, label: label, value: value), default: 0] &+= amount
    }

    private func count(_ socket: CallEvent.SocketEnd, _ state: inout State) {
        let (messages, bytes) = ("corenetkit.client.socket.messages", "corenetkit.client.socket.bytes")
        count(&state, messages, "direction", "received", by: UInt64(socket.messagesReceived))
        count(&state, messages, "direction", "sent", by: UInt64(socket.messagesSent))
        count(&state, bytes, "direction", "received", by: UInt64(socket.bytesReceived))
        count(&state, bytes, "direction", "sent", by: UInt64(socket.bytesSent))
        count(&state, "corenetkit.client.socket.closes", "code", Self.code(socket.closeCode))
        if socket.reconnects > 0 { count(&state, "corenetkit.client.socket.reconnects", "", "") }
        if let ping = socket.latestPing { state.pings.add(ping / .seconds(1)) }
    }

    /// Counts what happened to a server; discovered servers may be numerous.
    private func count(_ decision: CallEvent.EndpointDecision, _ state: inout State) {
        let isMove = decision.reason != nil && decision.kind != .ejected
        let names = [isMove ? "failovers" : nil, Self.endpointCounters[decision.kind]].compactMap(\.self)
        for name in names {
            let (metric, label) = ("corenetkit.client.endpoint.\(name)", "corenetkit.endpoint")
            let isKnown = state.counters[Counter(metric: metric, label: label, value: decision.member)] != nil
            count(&state, metric, label, isKnown || state.counters.count < limit ? decision.member : "other")
        }
    }

    private static let endpointCounters: [CallEvent.EndpointDecision.Kind: String] = [
        .ejected: "ejections", .probed: "probes", .returned: "returns",
    ]

    /// A close code as a label; application codes are external input and may be numerous.
    private static func code(_ code: UInt16) -> String {
        switch code {
        case 1000..<1016: "\(code)"
        case 3000..<4000: "3xxx"
        case 4000..<5000: "4xxx"
        default: "other"
        }
    }

    private var table: MetricTable {
        let state = state.withLock { $0 }
        var metrics = durations(in: state)
        let active = active.series
        if !active.isEmpty {
            let help = "Number of active HTTP requests."
            metrics.append(.init(name: "http.client.active_requests", help: help, unit: "{request}", series: active))
        }
        let gauges = Dictionary(grouping: state.gauges, by: \.name).sorted { $0.key < $1.key }
        metrics += gauges.map { name, gauges in
            let rows = gauges.flatMap { $0.read() }.map { labels, value -> MetricTable.Series in
                (labels.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }, .gauge(Int64(value)))
            }
            let series = rows.sorted { $0.labels.lexicographicallyPrecedes($1.labels) { $0.value < $1.value } }
            return MetricTable.Metric(name: name, help: gauges[0].help, unit: "1", series: series)
        }
        return MetricTable(metrics: metrics + counters(in: state), start: start, now: date())
    }

    /// The histograms with at least one value.
    private func durations(in state: State) -> [MetricTable.Metric] {
        let requests = state.labels.enumerated().sorted { $0.element < $1.element }.map { index, labels in
            let counts = Array(state.counts[index * Histogram.width..<(index + 1) * Histogram.width])
            return (labels: labels.labels, value: MetricTable.Value.histogram(counts: counts, sum: state.sums[index]))
        }
        let waits = state.waits.sorted { $0.key.rawValue < $1.key.rawValue }.map {
            (labels: [(name: "kind", value: "\($0.key)")], value: $0.value.value)
        }
        let hasPings = state.pings.counts.contains { $0 > 0 }
        let pings: [MetricTable.Series] = hasPings ? [([], state.pings.value)] : []
        let metrics = [
            ("http.client.request.duration", "Duration of HTTP client requests.", requests),
            ("corenetkit.client.wait.duration", "Duration of the waits of policies.", waits),
            ("corenetkit.client.socket.ping", "The latest ping of each WebSocket connection.", pings),
        ]
        return metrics.filter { !$0.2.isEmpty }.map { .init(name: $0.0, help: $0.1, unit: "s", series: $0.2) }
    }

    private func counters(in state: State) -> [MetricTable.Metric] {
        var counters = state.counters
        for outcome in CallStatistics.Outcome.allCases where state.calls[outcome.rawValue] > 0 {
            let counter = Counter(metric: "corenetkit.client.calls", label: "outcome", value: "\(outcome)")
            counters[counter] = state.calls[outcome.rawValue]
        }
        for (name, count) in state.events {
            counters[Counter(metric: "corenetkit.client.events", label: "event", value: name)] = count
        }
        let metrics = Dictionary(grouping: counters, by: \.key.metric).sorted { $0.key < $1.key }
        return metrics.map { name, counters in
            let sorted = counters.sorted { ($0.key.label, $0.key.value) < ($1.key.label, $1.key.value) }
            let series = sorted.map { counter, value in
                let labels = counter.label.isEmpty ? [] : [(name: counter.label, value: counter.value)]
                return (labels: labels, value: MetricTable.Value.count(value))
            }
            return .init(name: name, help: Self.help[name] ?? name, unit: "1", series: series)
        }
    }

    private static let help = [
        "corenetkit.client.calls": "Calls by their outcome.",
        "corenetkit.client.resends": "Requests beyond the first of a call, by their cause.",
        "corenetkit.client.cache": "Decisions of the cache.",
        "corenetkit.client.socket.messages": "Messages of WebSockets, by their direction.",
        "corenetkit.client.socket.bytes": "Bytes of WebSockets after the handshake, by their direction.",
        "corenetkit.client.socket.closes": "Connections of WebSockets that ended, by their close code.",
        "corenetkit.client.socket.reconnects": "Connections of WebSockets that followed another one.",
        "corenetkit.client.events": "What happened beside calls, by its name.",
        "corenetkit.client.endpoint.ejections":
            "Members of a logical origin that failed and get no requests for a while.",
        "corenetkit.client.endpoint.failovers": "Requests that a member got because another one could not take them.",
        "corenetkit.client.endpoint.probes": "Requests that find out whether an ejected member works again.",
        "corenetkit.client.endpoint.returns": "Members that work again.",
        "corenetkit.client.joined": "Calls that shared the exchange of another one.",
        "corenetkit.client.records.dropped": "Records that were lost because too many arrived at once.",
        "corenetkit.client.series.dropped": "Requests that were counted without their labels.",
    ]
}
