import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation

/// `swift run Waterfall` makes calls against a server of its own and draws what they did.
///
/// A folder as argument takes the page and all other views; without one they go to a temporary folder.
@main
struct Waterfall {
    static func main() async {
        do { try await run() } catch {
            print("Waterfall: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        let folder = try folder()
        let server = try ExampleServer()
        let recorder = CallRecorder(keepsBodies: true)
        let metrics = CallMetrics()
        let origin = Origin(server.loopback.url)
        let client = Client()
            .record(in: recorder)
            .record(to: metrics)
            .trace(TracePolicy(to: [origin]))

        await ExampleCalls(server: server, client: client).run()
        await client.flushRecords()
        server.loopback.stop()

        try write(recorder, metrics, to: folder)
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client.retry()).route(.get, origin.description)
            .build()
        try Data(chain.mermaid.utf8).write(to: folder.appendingPathComponent("chain.mmd"))
        print(
            TextWaterfall.terminal(environment: ProcessInfo.processInfo.environment, isTerminal: isatty(1) == 1)
                .text(of: recorder.records)
        )
        print("\n\(TextWaterfall.legend)")
        print("\npage: \(folder.appendingPathComponent("waterfall.html").path)")
    }

    private static func folder() throws -> URL {
        let name = CommandLine.arguments.dropFirst().first
        let temporary = FileManager.default.temporaryDirectory.appendingPathComponent("waterfall-\(getpid())")
        let folder = name.map { URL(fileURLWithPath: $0) } ?? temporary
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func write(_ recorder: CallRecorder, _ metrics: CallMetrics, to folder: URL) throws {
        let records = recorder.records
        try recorder.writeHTML(to: folder.appendingPathComponent("waterfall.html"))
        try recorder.writeHAR(to: folder.appendingPathComponent("calls.har"))
        try TraceEvents.data(of: records).write(to: folder.appendingPathComponent("trace-events.json"))
        try OTLPTraces.data(of: records, service: "waterfall", includesCalls: true)
            .write(to: folder.appendingPathComponent("otlp-traces.json"))
        try metrics.otlp(service: "waterfall").write(to: folder.appendingPathComponent("otlp-metrics.json"))
        try Data(metrics.prometheus.utf8).write(to: folder.appendingPathComponent("metrics.txt"))
        try Data(records.map(\.log).joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("calls.log"))
        let commands = records.compactMap(\.curl).joined(separator: "\n\n")
        try Data("\(commands)\n".utf8).write(to: folder.appendingPathComponent("calls.sh"))
    }
}
