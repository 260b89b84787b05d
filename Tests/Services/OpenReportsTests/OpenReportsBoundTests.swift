import AlarmService
import CoreNetKit
import CoreNetKitMock
import Foundation
import OpenReports
import TestPace
import Testing
import TestSupport

@Suite("What reports remember", .timeLimit(.minutes(10)), .paced)
struct OpenReportsBoundTests {
    @Test("is a thousand events: earlier ones are reported again, and the server recognises them")
    func bound() async throws {
        let lost = Recorder<String>()
        // Without an outbox each event that is to be stored is lost, which shows it.
        let client = Client(transport: MockTransport())
        let url = try #require(URL(string: "http://127.0.0.1/opens"))
        let opens = OpenReports(to: url, client: client, onLost: { event, _ in lost.record(event.id) })
        func report(_ numbers: some Sequence<Int>) async {
            for number in numbers { opens.report(OpenEvent("alarm", id: "\(number)", what: "F01")) }
            await opens.stored()
        }
        await report(0..<1000)
        #expect(lost.values.count == 1000)
        await report(0..<1000)
        #expect(lost.values.count == 1000)
        await report([1000])
        await report([0, 1000])
        #expect(lost.values.count == 1002)
        #expect(lost.values.last == lost.values.first)
    }
}
