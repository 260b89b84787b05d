import CoreNetKit
import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import TestPace
import TestSupport
import Testing

@testable import CoreNetKitChain
@testable import CoreNetKitObservability

@Suite("Cookies in the HTTP archive", .paced)
struct HARCookieTests {
    private func cookie(_ field: String) async throws -> Json {
        let record = try await Samples.exchanges(Samples.response(200, .reused(), ["Set-Cookie": field]))
        return try #require(try record.entries().first?["response"]?["cookies"]?[0])
    }

    @Test("have every attribute that the format defines, and none that was not sent")
    func attributes() async throws {
        let all = try await cookie(
            "a=1; path=/shop; DOMAIN=a.test; HttpOnly; secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax"
        )
        #expect(all["name"]?.string == "a")
        #expect(all["path"]?.string == "/shop")
        #expect(all["domain"]?.string == "a.test")
        #expect(all["httpOnly"]?.bool == true)
        #expect(all["secure"]?.bool == true)
        #expect(all["expires"]?.string == "2026-10-21T07:28:00Z")
        let none = try await cookie("a=1")
        #expect(none.object?.count == 2)
        let broken = try await cookie("a=1; Expires=soon; HttpOnly")
        #expect(broken["expires"] == nil)
        #expect(broken["httpOnly"]?.bool == true)
    }
}

@Suite("A stored redirect in an archive", .timeLimit(.minutes(10)), .paced)
struct HARRedirectTests {
    @Test("is an entry of its own, and what it led to stands under its own URL; neither shows a secret")
    func stored() async throws {
        let transport = MockTransport { mock in
            mock.on(.get, "/a", .status(301, headers: ["Cache-Control": "max-age=60", "Location": "/b?token=SECRET"]))
            mock.on(.get, "/b", .text("b").header("Cache-Control", "max-age=60"))
        }
        let sink = RecordingSink()
        let client = Client(transport: transport).cache(with: ResponseCache()).record(to: sink)
        let chain: Chain<Void, Data> = UrlChainsBuilder(client: client).route(.get, url("https://shop.test/a"))
            .loadData()
        for _ in 0..<2 { _ = try await chain.process() as Data }
        await client.flushRecords()
        #expect(transport.requests.count == 2)
        let records = sink.records
        let entries = try #require(records.last).entries()
        let target = "https://shop.test/b?token=REDACTED"
        #expect(entries.map { $0["request"]?["url"]?.string } == ["https://shop.test/a", target])
        #expect(entries.map { $0["response"]?["status"]?.int } == [301, 200])
        #expect(entries.map { $0["response"]?["redirectURL"]?.string } == [target, ""])
        #expect(entries.allSatisfy { $0["_fromCache"]?.string == "memory" })
    }
}

@Suite("A server's address in an archive", .paced)
struct HARAddressTests {
    @Test(
        "has neither port nor brackets",
        arguments: [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("a.test", "a.test")]
    )
    func host(address: String, host: String) { #expect(HAREntry.host(of: address) == host) }
}

@Suite("A socket's message in an archive", .paced)
struct HARMessageTests {
    private func entry(_ content: Data, isText: Bool) -> String {
        var output = JSONOutput()
        let message = CallEvent.SocketMessage(content, isText: isText, isSent: true)
        HAREntry.write(message, at: WallTime(Date(timeIntervalSince1970: 1)), to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("says how long it is where its content is missing or cut, and only there")
    func size() {
        let long = Data("\"\(String(repeating: "x", count: CallEvent.contentLimit))\"".utf8)
        #expect(!entry(Data("{}".utf8), isText: true).contains("_size"))
        #expect(entry(Data([1, 2]), isText: false).contains("\"_size\":2"))
        #expect(entry(long, isText: true).contains("\"_size\":\(long.count)"))
    }
}
