public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP

/// Calls in the trace-event format of Perfetto and speedscope: for load tests, where a page would be too long.
///
/// Calls overlap, so each is a group of asynchronous slices with an id of its own.
/// - SeeAlso: [Perfetto](https://ui.perfetto.dev)
public enum TraceEvents {
    /// Converts calls, in any order, to a JSON text.
    public static func data(of records: [CallRecord]) -> Data {
        var output = JSONOutput()
        output.object { output in
            output.member("displayTimeUnit", "ms")
            output.array("traceEvents", of: records) { write(CallTimeline($1), to: &$0) }
        }
        return Data(output.take())
    }

    private static func write(_ timeline: CallTimeline, to output: inout JSONOutput) {
        let record = timeline.record
        slice(timeline.title, "call", .zero, timeline.end, record, to: &output) { output in
            output.member("outcome", "\(record.outcome)")
            output.member("exchanges", timeline.exchanges.count)
        }
        for wait in timeline.waits {
            slice("wait \(wait.wait.kind)", "wait", wait.start, wait.end, record, to: &output) { output in
                if let ahead = wait.wait.ahead { output.member("ahead", ahead) }
            }
        }
        for exchange in timeline.exchanges {
            slice(exchange.label, "exchange", exchange.start, exchange.end, record, to: &output) { output in
                output.member("method", exchange.request.method.rawValue)
                output.member("url", exchange.request.url)
                output.member("attempt", exchange.attempt)
            }
            for phase in exchange.phases {
                slice(phase.kind.row.name, "phase", phase.start, phase.end, record, to: &output) { _ in }
            }
        }
    }

    private static func slice(
        _ name: String,
        _ category: String,
        _ start: Duration,
        _ end: Duration,
        _ record: CallRecord,
        to output: inout JSONOutput,
        _ arguments: (inout JSONOutput) -> Void
    ) {
        for (phase, time) in [("b", start), ("e", max(end, start))] {
            output.object { output in
                output.member("ph", phase)
                output.member("name", name)
                output.member("cat", category)
                output.member("id", String(record.call))
                output.member("pid", 1)
                output.member("tid", 1)
                output.member("ts", digits: String(WallTime.of(time, in: record).microseconds))
                if phase == "b" { output.object("args") { arguments(&$0) } }
            }
        }
    }
}
