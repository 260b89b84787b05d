import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("A secret", .paced)
struct CanaryTests {
    @Test("is in no view of a record")
    func views() async throws {
        let error = NetworkError(
            .connectionLost,
            "GET http://u:\(Samples.canary)@a.test/?token=\(Samples.canary) was lost",
            node: "TransportNode"
        )
        let records = [try await Samples.record(), try await Samples.failure(error)]
        let metrics = CallMetrics()
        let recorder = CallRecorder(keepsBodies: true)
        for record in records {
            metrics.write(record)
            recorder.write(record)
        }
        var dumped = ""
        dump(records, to: &dumped)
        let views = [
            "record": "\(records) \(String(reflecting: records)) \(dumped)",
            "log": records.map { LogTree($0, level: .debug).description }.joined(),
            "waterfall": TextWaterfall(columns: 400).text(of: records),
            "page": CallPage(records).html,
            "archive": String(decoding: HARWriter.data(of: records), as: UTF8.self),
            "curl": records.compactMap(\.curl).joined(),
            "spans": String(decoding: OTLPTraces.data(of: records, service: "s", includesCalls: true), as: UTF8.self),
            "metrics": metrics.prometheus + String(decoding: metrics.otlp(service: "s"), as: UTF8.self),
            "trace events": String(decoding: TraceEvents.data(of: records), as: UTF8.self),
        ]
        for (name, text) in views {
            #expect(!text.contains(Samples.canary), "\(name)")
            #expect(text.count > 100, "\(name) is not clean because it is empty")
        }
    }

    @Test("a server's text is no markup, no terminal escape and no separate line anywhere")
    func injected() async throws {
        let record = try await Samples.record()
        let page = CallPage([record]).html
        // Its own two, of the data and of the script.
        #expect(page.components(separatedBy: "</script>").count == 3)
        #expect(!page.contains("\u{1B}"))
        #expect(page.contains(#"\u003c/script>"#))
        #expect(!LogTree(record, level: .debug).description.contains("\u{1B}"))
        #expect(LogTree(record, level: .debug).lines.allSatisfy { !$0.message.contains("\n") })
        _ = try Json(parsing: HARWriter.data(of: [record]))
        _ = try Json(parsing: TraceEvents.data(of: [record]))
    }
}
