import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// A snapshot of statistics, from which each format is written.
struct MetricTable: Sendable {
    typealias Series = (labels: [(name: String, value: String)], value: Value)

    enum Value: Sendable {
        case count(UInt64)
        case gauge(Int64)
        /// The counts between the limits; the last one is above all of them.
        case histogram(counts: [UInt64], sum: Double)
    }

    struct Metric: Sendable {
        /// With dots, as in OpenTelemetry.
        let name: String
        let help: String
        let unit: String
        let series: [Series]
    }

    /// The limits of the duration histogram, in seconds, as specified by OpenTelemetry.
    static let limits = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    let metrics: [Metric]
    let start: Date
    let now: Date

    /// The text that Prometheus scrapes.
    ///
    /// - SeeAlso: [Text format 0.0.4](https://prometheus.io/docs/instrumenting/exposition_formats/)
    var prometheus: String {
        var lines: [String] = []
        for metric in metrics {
            let base = Self.plain(metric.name) + (metric.unit == "s" ? "_seconds" : "")
            let name = metric.kind == "counter" ? base + "_total" : base
            lines.append("# HELP \(name) \(metric.help.escaped(["\\": "\\\\", "\n": "\\n"]))")
            lines.append("# TYPE \(name) \(metric.kind)")
            for series in metric.series { lines += Self.lines(name, series) }
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func lines(_ name: String, _ series: Series) -> [String] {
        let escapes: [Unicode.Scalar: String] = ["\\": "\\\\", "\n": "\\n", "\"": "\\\""]
        let labels = series.labels.map { "\(plain($0.name))=\"\($0.value.escaped(escapes))\"" }
        func braced(_ labels: [String]) -> String { labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}" }
        switch series.value {
        case .count(let count): return ["\(name)\(braced(labels)) \(count)"]
        case .gauge(let value): return ["\(name)\(braced(labels)) \(value)"]
        case .histogram(let counts, let sum):
            var total: UInt64 = 0
            var lines: [String] = []
            for (index, count) in counts.enumerated() {
                total += count
                let limit = index < limits.count ? "\(limits[index])" : "+Inf"
                lines.append("\(name)_bucket\(braced(labels + ["le=\"\(limit)\""])) \(total)")
            }
            return lines + ["\(name)_sum\(braced(labels)) \(sum)", "\(name)_count\(braced(labels)) \(total)"]
        }
    }

    private static func plain(_ name: String) -> String {
        String(decoding: name.utf8.map { $0 == UInt8(ascii: ".") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }
}

extension MetricTable.Metric {
    fileprivate var kind: String {
        switch series.first?.value {
        case .gauge: "gauge"
        case .histogram: "histogram"
        case .count, nil: "counter"
        }
    }
}

extension MetricTable {
    /// The body of a `POST /v1/metrics`.
    ///
    /// - SeeAlso: [OTLP](https://opentelemetry.io/docs/specs/otlp/)
    func otlp(_ resource: OTLPResource) -> [UInt8] {
        resource.message(("resourceMetrics", "scopeMetrics", "metrics")) { output in
            for metric in metrics { output.object { write(metric, to: &$0) } }
        }
    }

    private func write(_ metric: Metric, to output: inout JSONOutput) {
        output.member("name", metric.name)
        output.member("description", metric.help)
        output.member("unit", metric.unit)
        let kind = metric.kind
        output.object(kind == "histogram" ? "histogram" : "sum") { output in
            output.member("aggregationTemporality", 2)
            // A gauge rises and falls and can be added over programs: a sum that is not monotonic.
            if kind != "histogram" { output.member("isMonotonic", kind == "counter") }
            output.array("dataPoints", of: metric.series) { output, series in
                output.object { write(series, to: &$0) }
            }
        }
    }

    private func write(_ series: Series, to output: inout JSONOutput) {
        output.member("startTimeUnixNano", WallTime(start).unixNanoseconds)
        output.member("timeUnixNano", WallTime(now).unixNanoseconds)
        OTLPResource.write(series.labels, to: &output)
        switch series.value {
        case .count(let count): output.member("asInt", String(count))
        case .gauge(let value): output.member("asInt", String(value))
        case .histogram(let counts, let sum):
            output.member("count", String(counts.reduce(0, +)))
            output.member("sum", digits: "\(sum)")
            output.array("bucketCounts", of: counts) { $0.member(nil, String($1)) }
            output.array("explicitBounds", of: Self.limits) { $0.member(nil, digits: "\($1)") }
        }
    }
}
