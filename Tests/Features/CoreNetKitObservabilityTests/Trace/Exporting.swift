import CoreNetKitObservability
import TestSupport

/// An exporter to a scripted collector, on a clock that stands still.
struct Exporting {
    let clock = ManualClock()
    let mock: MockTransport
    let exporter: OTLPExporter
    private let log = Locked<[String]>([])
    /// What the exporter has said.
    var lines: [String] { log.withLock { $0 } }
    var counts: OTLPExporter.Counts { exporter.counts }

    init(
        _ transport: (any Transport)? = nil,
        sampling: TracePolicy.Sampling = .all,
        date: @escaping @Sendable () -> Date = { Date() },
        limits change: (inout OTLPExporter.Limits) -> Void = { _ in },
        script: (MockTransport) -> Void = { _ in }
    ) {
        mock = MockTransport(clock: clock, script)
        var limits = OTLPExporter.Limits()
        change(&limits)
        exporter = OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: transport ?? mock,
            sampling: sampling,
            limits: limits,
            clock: CallClock(clock),
            date: date,
            log: { [log] line in log.withLock { $0.append(line) } }
        )
    }

    /// With responses of the collector, one after another; the last one is repeated.
    init(_ responses: MockResponse..., change: (inout OTLPExporter.Limits) -> Void = { _ in }) {
        self.init(nil, limits: change) { mock in
            // What was said last is asked first.
            for (index, response) in responses.enumerated().reversed() {
                mock.on(.post, "/v1/traces", times: index == responses.count - 1 ? nil : 1, response)
            }
        }
    }
}
