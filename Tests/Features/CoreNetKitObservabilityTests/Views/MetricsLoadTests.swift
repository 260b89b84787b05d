import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import CoreNetKitSystem
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("Counters under load", .timeLimit(.minutes(10)), .paced)
struct MetricsLoadTests {
    private static let calls = TestRounds.count(5_000)

    /// The sum of the rows of a series.
    private func sum(_ name: String, in text: String) -> Int {
        text.split(separator: "\n").filter { $0.hasPrefix(name + "{") }.reduce(0) { sum, line in
            sum + (line.split(separator: " ").last.flatMap { Int($0) } ?? 0)
        }
    }

    @Test("calls, requests and their durations are counted exactly, however fast they arrive")
    func exact() async throws {
        let metrics = CallMetrics()
        let recorder = CallRecorder()
        let transport = ClosureTransport { request in
            let isLost = request.url.path.hasSuffix("7")
            return .init(status: isLost ? 503 : 200, headers: [:], body: .bytes(Data("{}".utf8)), url: request.url)
        }
        let client = Client(transport: transport).retry(nil).record(to: metrics).record(in: recorder)
        let share = Self.calls / 4
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for number in 0..<share {
                        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
                            .route(.get, "http://h\(task).test/\(number % 10)").build()
                        _ = try? await chain.process()
                    }
                }
            }
        }
        await client.flushRecords()
        let text = metrics.prometheus
        #expect(sum("corenetkit_client_calls_total", in: text) == 4 * share)
        #expect(sum("http_client_request_duration_seconds_count", in: text) == 4 * share)
        #expect(text.contains(#"corenetkit_client_calls_total{outcome="failed"} \#(4 * share / 10)"#))
        #expect(!text.contains("dropped"))
        // A view may lose some of them, and says how many.
        #expect(recorder.records.count <= 200)
    }
}
