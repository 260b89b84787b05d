import CoreNetKitObservability
import TestSupport

@Suite("A phase of an exchange", .timeLimit(.minutes(10)), .paced)
struct PhaseViewTests {
    private func record(_ phase: TransportError.Phase, _ length: Duration) async throws -> CallRecord {
        var timings = TransportTimings.fresh()
        timings[keyPath: phase.row.length] = length
        return try await Samples.exchanges(Samples.response(200, timings), taking: 200)
    }

    @Test("is shown by every view, with its letter, name, colour and length", arguments: TransportError.Phase.all)
    func views(phase: TransportError.Phase) async throws {
        let record = try await record(phase, .milliseconds(20))
        let bar = String(repeating: phase.row.letter, count: 4)
        #expect(TextWaterfall.legend.contains("  \(phase.row.letter) "))
        let colored = TextWaterfall(columns: 400, isColored: true).text(of: record)
        #expect(colored.contains("m" + bar) && !colored.contains("[0m" + bar))
        let page = try ShownPage([record])
        #expect(page.markup.contains("\(phase.row.name)</li>") && page.style.contains(".\(phase.rawValue) {"))
        let row = try #require(page.calls[0]["r"]?[0])
        #expect(page.parts(row).first { $0.kind == phase.rawValue }?.length == 20_000)
        let slices = try Json(parsing: TraceEvents.data(of: [record]))["traceEvents"]?.array ?? []
        #expect(slices.contains { $0["cat"]?.string == "phase" && $0["name"]?.string == phase.row.name })
        let longer = try await self.record(phase, .milliseconds(27)).entries()[0]["time"]?.double
        #expect(try longer == record.entries()[0]["time"]?.double.map { $0 + 7 })
    }
}
