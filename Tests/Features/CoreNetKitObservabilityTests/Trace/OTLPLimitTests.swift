import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The limits of the exporter to a collector", .timeLimit(.minutes(10)), .paced)
struct OTLPLimitTests {
    private let lines = Locked<[String]>([])

    private func exporter(
        _ transport: any Transport,
        _ change: (inout OTLPExporter.Limits) -> Void = { _ in }
    ) -> OTLPExporter {
        var limits = OTLPExporter.Limits()
        change(&limits)
        return OTLPExporter(
            to: url("http://collector.test/v1/traces"),
            service: "shop",
            transport: transport,
            limits: limits,
            clock: CallClock(ManualClock()),
            log: { [lines] line in lines.withLock { $0.append(line) } }
        )
    }

    @Test("a message has at least one span", arguments: [0, -1])
    func batch(size: Int) async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .json("{}")) }
        let exporter = exporter(mock) { $0.batch = size }
        exporter.write(try await Samples.record())
        #expect(await exporter.flush() == 0)
        #expect(mock.requests.count == 3 && exporter.counts.sent == 3)
    }

    @Test("a collector that refuses every message produces one log line, with the status", arguments: [401, 404])
    func refused(status: Int) async throws {
        let mock = MockTransport { $0.on(.post, "/v1/traces", .status(status), .status(status), .json("{}")) }
        let exporter = exporter(mock)
        for _ in 1...3 {
            exporter.write(try await Samples.record())
            await exporter.flush()
        }
        let refusal = "the collector refuses what it gets: status \(status)"
        #expect(lines.withLock { $0 } == [refusal, "the collector is back"])
        #expect(exporter.counts.rejected == 6 && exporter.counts.sent == 3)
    }

    @Test("a shutdown ends running requests, however it meets the call that began it")
    func shutdown() async throws {
        let record = try await Samples.record()
        let open = Locked(0)
        let transport = ClosureTransport { _ in
            open.withLock { $0 += 1 }
            defer { open.withLock { $0 -= 1 } }
            // Until it is cancelled.
            try await ContinuousClock().sleep(for: .seconds(3600))
            throw CancellationError()
        }
        for _ in 0..<2000 {
            let exporter = exporter(transport) { $0.batch = 1 }
            let writing = Task.detached { exporter.write(record) }
            while exporter.counts.waiting == 0 { await Task.yield() }
            await exporter.shutdown(within: .zero)
            await writing.value
        }
        while open.withLock({ $0 }) > 0 { await Task.yield() }
    }
}
