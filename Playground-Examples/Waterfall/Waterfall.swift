import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitObservability
import Foundation
import ProgramArguments

/// `swift run Waterfall` makes calls to its own server and draws what they did; `--help` lists the options.
@main
struct Waterfall {
    static func main() async {
        let arguments: Arguments
        do { arguments = try Arguments(Array(CommandLine.arguments.dropFirst())) } catch {
            ProgramArguments.refuse("\(error)", usage: Arguments.usage)
        }
        do {
            if arguments.wantsHelp { return print(Arguments.usage) }
            if arguments.serves { try await serve(arguments) } else { try await draw(arguments) }
        } catch {
            FileHandle.standardError.write(Data("Waterfall: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func draw(_ arguments: Arguments) async throws {
        let folder = try arguments.madeFolder()
        let server = try ExampleServer()
        let recorder = CallRecorder(keep: 200 + arguments.calls, byteLimit: 256 << 20, keepsBodies: true)
        let metrics = CallMetrics()
        let origin = Origin(server.loopback.url)
        let client = Client()
            .record(in: recorder)
            .record(to: metrics)
            .trace(TracePolicy(to: [origin]))

        let calls = ExampleCalls(server: server, client: client)
        await calls.run()
        await client.flushRecords()
        let few = recorder.records
        await calls.many(arguments.calls)
        await client.flushRecords()
        server.stop()

        try write(recorder, metrics, to: folder)
        let chain: Chain<Void, String> = UrlChainsBuilder(client: client.retry()).route(.get, origin.description)
            .build()
        try Data(chain.mermaid.utf8).write(to: folder.appendingPathComponent("chain.mmd"))
        print(
            TextWaterfall.terminal(environment: ProcessInfo.processInfo.environment, isTerminal: isatty(1) == 1)
                .text(of: few)
        )
        print("\n\(TextWaterfall.legend)")
        print("\npage: \(folder.appendingPathComponent("waterfall.html").path)")
    }

    /// Shows calls while they happen, for a limited time.
    private static func serve(_ arguments: Arguments) async throws {
        let server = try ExampleServer()
        let recorder = CallRecorder(keep: 1000 + arguments.calls, byteLimit: 256 << 20, keepsBodies: true)
        let page = LivePage(recorder, title: "Waterfall, live")
        let door = try LoopbackServer(recording: .off) { request in
            let response = await page.response(to: request.target, headers: request.headers)
            return LoopbackResponse(status: response.status, headers: response.headers, body: .data(response.content))
        }
        let seconds = arguments.seconds ?? 600
        print("for \(seconds) seconds, for nobody but this machine: \(door.url)\(page.path)")
        fflush(nil)
        let calls = ExampleCalls(server: server, client: Client().record(in: recorder))
        let end = ContinuousClock.now + .seconds(seconds)
        let endless = Task { await calls.endless() }
        await calls.many(arguments.calls)
        while ContinuousClock.now < end {
            await calls.run()
            try await Task.sleep(until: min(end, .now + .seconds(1)), clock: .continuous)
        }
        endless.cancel()
        server.stop()
        door.stop()
        print("\(recorder.records.count) calls were on the page")
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
