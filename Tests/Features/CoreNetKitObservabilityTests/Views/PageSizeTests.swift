import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitObservability
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("The size of the calls page", .timeLimit(.minutes(10)), .paced)
struct PageSizeTests {
    private func record(_ number: Int, content: String, fails: Bool = false) async throws -> CallRecord {
        let stage = try Stage(call: UInt64(number + 1), bodies: true)
        let call = stage.context()
        let trace = "00-" + String(repeating: "0", count: 24) + String(1_000_000_00 + number) + "-00f067aa0ba902b7-01"
        let sent: Headers = [
            "Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "CoreNetKit", "traceparent": trace,
        ]
        let target = url("https://shop.example/users/\(number)/orders?page=\(number % 7)")
        call.note(.requestBuilt(method: .get, url: target.absoluteString, headers: sent))
        stage.pass(number % 90)
        let received: Headers = [
            "Content-Type": "application/json", "Date": "Mon, 23 Nov 2026 08:00:\(10 + number % 50) GMT",
            "Server": "nginx", "ETag": "\"\(number)\"",
        ]
        stage.exchange(
            TransportRequest(url: target, headers: sent),
            Samples.response(fails ? 500 : 200, .fresh(total: 60 + number % 40), received, content),
            in: call,
            taking: 60 + number % 40
        )
        return try await stage.end(
            fails ? .failed(NetworkError(.unacceptableStatus, "500", node: "StatusNode")) : .completed
        )
    }

    @Test("a call with fields, trace and content takes at most 600 bytes, so that 5 000 are less than 3 MB")
    func many() async throws {
        var records: [CallRecord] = []
        for number in 0..<1000 { records.append(try await record(number, content: #"{"id":\#(number),"name":"Ada"}"#)) }
        let page = try ShownPage(records)
        let empty = CallPage([]).html.utf8.count
        #expect(page.calls.count == 1000 && empty < 50_000)
        #expect(page.html.utf8.count - empty <= 590_000, "\(page.html.utf8.count - empty) for 1000 calls")
        #expect(page.text(page.calls[432]["x"]?[0]?["c"]) == #"{"id":432,"name":"Ada"}"#)
    }

    @Test("contents that do not fit are omitted, the oldest first, those of failures last, and the page says so")
    func contents() async throws {
        let long = String(repeating: "x", count: 60_000)
        var records: [CallRecord] = []
        for number in 0..<40 {
            records.append(try await record(number, content: #"["\#(number)\#(long)"]"#, fails: number == 3))
        }
        let page = try ShownPage(records)
        #expect(page.html.utf8.count < 1_300_000)
        let hasContent = page.calls.map { $0["x"]?[0]?["c"] != nil }
        #expect(hasContent[3] && hasContent[39] && !hasContent[0] && !hasContent[4])
        let facts = page.facts(try #require(page.calls[0]["x"]?[0]))
        #expect(facts["response content"] == "60005 bytes, no room for it on this page: it is in the archive")
        #expect(page.facts(try #require(page.calls[39]["x"]?[0]))["response content"] == nil)
    }
}
