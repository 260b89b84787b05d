import CoreNetKitCache
import TestSupport

@testable import CoreNetKitChain
@testable import CoreNetKitObservability

@Suite("The HTTP archive", .paced)
struct HARTests {
    private func entries(_ records: CallRecord...) throws -> [Json] {
        let json = try Json(parsing: HARWriter.data(of: records))
        #expect(json["log"]?["version"]?.string == "1.2")
        #expect(json["log"]?["pages"]?.array?.isEmpty == true)
        return try #require(json["log"]?["entries"]?.array)
    }

    @Test("has one entry for each exchange, whose times add up exactly")
    func entries() async throws {
        let entries = try entries(try await Samples.record())
        #expect(entries.count == 3)
        for entry in entries {
            let timings = try #require(entry["timings"]?.object)
            let parts = ["blocked", "dns", "connect", "send", "wait", "receive"].map { timings[$0]?.double ?? .nan }
            let sum = parts.filter { $0 >= 0 }.reduce(0, +)
            #expect(abs(sum - (entry["time"]?.double ?? 0)) < 0.0005)
        }
        #expect(entries[0]["timings"]?["connect"]?.int == 30)
        #expect(entries[0]["timings"]?["ssl"]?.int == 20)
        #expect(entries[0]["serverIPAddress"]?.string == "::1")
        #expect(entries[0]["_coreNetKit"]?["attempt"]?.int == 1)
        #expect(entries[0]["startedDateTime"]?.string == "2026-01-01T00:00:00.030000Z")
        #expect(entries[0]["_coreNetKit"]?["waits"]?[0]?["kind"]?.string == "place")
        #expect(entries[1]["_coreNetKit"]?["waits"]?[0]?["retryAfter"]?.int == 1000)
        #expect(entries[1]["response"]?["redirectURL"]?.string == "/orders/8?code=REDACTED")
    }

    @Test("has no look-up, connect or handshake for a reused connection, and zero for a new one that took no time")
    func reused() async throws {
        let entries = try entries(try await Samples.record())
        for name in ["dns", "connect", "ssl"] { #expect(entries[1]["timings"]?[name]?.int == -1) }
        var timings = TransportTimings.fresh()
        timings.resolve = .zero
        let record = try await Samples.exchanges(Samples.response(200, timings))
        #expect(try self.entries(record)[0]["timings"]?["dns"]?.int == 0)
    }

    @Test(
        "counts missing content as none, and the saving by compression",
        arguments: [
            (HTTPMethod.get, 204, [:], "", 0, 0), (.head, 200, ["Content-Length": "500"], "", 0, 0),
            (.get, 204, ["Content-Length": "500"], "", 0, 0), (.get, 304, ["Content-Length": "500"], "", 0, 0),
            (.get, 304, [:], "", 0, 0),
            (.get, 200, ["Content-Encoding": "gzip", "Content-Length": "10"], "0123456789abcdef", 16, 10),
            (.get, 200, ["Content-Encoding": "gzip"], "0123", 4, -1),
        ] as [(HTTPMethod, Int, Headers, String, Int, Int)]
    )
    func sizes(method: HTTPMethod, status: Int, headers: Headers, text: String, content: Int, wire: Int) async throws {
        let request = TransportRequest(method: method, url: url("http://a.test/"))
        let record = try await Samples.exchanges(Samples.response(status, .reused(), headers, text), for: request)
        let response = try #require(try entries(record)[0]["response"])
        #expect(response["content"]?["size"]?.int == content)
        #expect(response["bodySize"]?.int == wire)
        #expect(response["content"]?["compression"]?.int == (content == 16 ? 6 : nil))
        #expect(response["content"]?["mimeType"]?.string == "")
        #expect(response["headers"]?.array?.map { $0["value"]?.string } == headers.map(\.value))
    }

    @Test("is written entry by entry")
    func streaming() async throws {
        var longest = 0
        var total = 0
        let record = try await Samples.record()
        var writer = try HARWriter { data in
            longest = max(longest, data.count)
            total += data.count
        }
        for _ in 0..<500 { try writer.append(record) }
        try writer.finish()
        #expect(total > 1_000_000)
        #expect(longest < 10_000)
    }

    #if os(Linux)
        /// `TEST_ROUNDS=100000 swift test --filter HARTests` writes so many.
        @Test(
            "needs no more memory for many entries than for few",
            .enabled(if: TestRounds.given != nil, "the memory of a process in which other tests run says nothing")
        )
        func constantMemory() async throws {
            let most = TestRounds.count(0)
            let folder = try TemporaryFolder()
            let file = try folder.file(Data())
            let handle = try FileHandle(forWritingTo: file)
            let record = try await Samples.record()
            var writer = try HARWriter { data in try handle.write(contentsOf: data) }
            for _ in 0..<100 { try writer.append(record) }
            let before = try Self.residentKilobytes()
            for _ in 0..<(most / 3) { try writer.append(record) }
            let grown = try Self.residentKilobytes() - before
            try writer.finish()
            try handle.close()
            let size = try #require(try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int)
            #expect(size > most * 1000)
            #expect(grown < 50_000, "\(grown) kB more after \(size) bytes")
            if most >= 100_000 { print("\(most) entries, \(size) bytes, \(grown) kB more memory") }
        }

        private static func residentKilobytes() throws -> Int {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
        }
    #endif

    private func cookie(_ field: String) async throws -> Json {
        let record = try await Samples.exchanges(Samples.response(200, .reused(), ["Set-Cookie": field]))
        return try #require(try record.entries().first?["response"]?["cookies"]?[0])
    }

    @Test("has every attribute of a cookie that the format defines, and none that was not sent")
    func cookies() async throws {
        let all = try await cookie(
            "a=1; path=/shop; DOMAIN=a.test; HttpOnly; secure; Expires=Wed, 21 Oct 2026 07:28:00 GMT; SameSite=Lax"
        )
        let expected: Json = [
            "name": "a", "value": "REDACTED", "path": "/shop", "domain": "a.test", "httpOnly": true, "secure": true,
            "expires": "2026-10-21T07:28:00Z",
        ]
        #expect(all == expected)
        #expect(try await cookie("a=1") == ["name": "a", "value": "REDACTED"])
        #expect(
            try await cookie("a=1; Expires=soon; HttpOnly") == ["name": "a", "value": "REDACTED", "httpOnly": true]
        )
    }

    @Test("has a stored redirect as an entry, and what it led to under its own URL; neither shows a secret")
    func stored() async throws {
        let transport = MockTransport { mock in
            mock.on(.get, "/a", .status(301, headers: ["Cache-Control": "max-age=60", "Location": "/b?token=SECRET"]))
            mock.on(.get, "/b", .text("b").header("Cache-Control", "max-age=60"))
        }
        let sink = RecordingSink()
        let client = Client(transport: transport).cache(ResponseCache()).record(to: sink)
        for _ in 0..<2 { try await client.text("https://shop.test/a") }
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

    @Test(
        "has a server's address without port and brackets",
        arguments: [("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "::1"), ("a.test", "a.test")]
    )
    func host(address: String, host: String) { #expect(HAREntry.host(of: address) == host) }

    private func message(_ content: Data, isText: Bool) -> String {
        var output = JSONOutput()
        let message = CallEvent.SocketMessage(content, isText: isText, isSent: true)
        HAREntry.write(message, at: WallTime(Date(timeIntervalSince1970: 1)), to: &output)
        return String(decoding: output.bytes, as: UTF8.self)
    }

    @Test("says how long a socket's message is where its content is missing or cut, and only there")
    func messages() {
        let long = Data("\"\(String(repeating: "x", count: CallEvent.contentLimit))\"".utf8)
        #expect(!message(Data("{}".utf8), isText: true).contains("_size"))
        #expect(message(Data([1, 2]), isText: false).contains("\"_size\":2"))
        #expect(message(long, isText: true).contains("\"_size\":\(long.count)"))
    }
}
