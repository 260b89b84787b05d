import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import TestPace
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

import CoreNetKitEssentials

/// Common mistakes of caches, one test for each case.
@Suite("Common mistakes of caches", .paced)
struct TrapTests {
    @Test(
        "1. An invalid Expires means expired, not absent",
        arguments: ["0", "-1", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 50 02:01:18 GMT"]
    )
    func expires(value: String) async throws {
        let setting = Setting { request, _ in
            reply(200, ["Expires": value, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], url: request.url)
        }
        try await setting.send()
        try await setting.send()
        #expect(setting.origin.count == 2)
    }

    @Test("2. Of a list of ages the first counts; a negative or invalid one does not")
    func ageLists() async throws {
        for (age, isHit) in [("90, 0", false), ("0, 90", true), ("-90", true), ("90.5", true)] {
            let setting = Setting(["Cache-Control": "max-age=60", "Age": age])
            try await setting.send()
            try await setting.send()
            #expect(setting.origin.count == (isHit ? 1 : 2), "\(age)")
        }
    }

    @Test("3. The Age field counts, and the returned response carries the whole age")
    func ageCounts() async throws {
        let setting = Setting(["Cache-Control": "max-age=60", "Age": "30"])
        try await setting.send()
        setting.time.advance(20)
        #expect(try await setting.send().headers["Age"] == "50")
        setting.time.advance(20)
        try await setting.send()
        #expect(setting.origin.count == 2)
    }

    @Test("4. Setting the clock back keeps nothing fresh for ever")
    func clockSetBack() async throws {
        let setting = Setting(["Cache-Control": "max-age=60"])
        try await setting.send()
        setting.time.setWall(-86_400)
        setting.time.advance(61)
        try await setting.send()
        #expect(setting.origin.count == 2)
    }

    @Test("5. A 304 does not change length and coding of the stored body")
    func lengthAndCoding() async throws {
        let setting = Setting { request, number in
            number == 1
                ? reply(
                    200,
                    ["Cache-Control": "max-age=1", "ETag": "\"a\"", "Content-Length": "4", "Content-Encoding": "gzip"]
                )
                : reply(304, ["ETag": "\"a\"", "Content-Length": "0", "Content-Encoding": "br", "X-New": "1"], "")
        }
        try await setting.send()
        setting.time.advance(5)
        let response = try await setting.send()
        #expect(response.headers["Content-Length"] == "4" && response.headers["Content-Encoding"] == "gzip")
        #expect(response.headers["X-New"] == "1" && response.body.data == Data("body".utf8))
    }

    @Test("6. A 304 updates all other fields, even unknown ones")
    func updatesFields() async throws {
        let setting = Setting { request, number in
            number == 1
                ? reply(200, ["Cache-Control": "max-age=1", "ETag": "\"a\"", "X-Content-Foo": "old", "Age": "9"])
                : reply(304, ["Cache-Control": "max-age=60", "ETag": "\"a\"", "X-Content-Foo": "new"], "")
        }
        try await setting.send()
        setting.time.advance(5)
        try await setting.send()
        setting.time.advance(5)
        let response = try await setting.send()
        #expect(setting.origin.count == 2)
        #expect(response.headers["X-Content-Foo"] == "new" && response.headers["Age"] == "5")
    }

    @Test("7. A 304 for a response that is not stored is requested again without a condition")
    func foreign304() async throws {
        let setting = Setting { request, number in
            number == 2
                ? reply(304, ["ETag": "\"other\""], "")
                : reply(200, ["Cache-Control": "max-age=1", "ETag": "\"a\""], "body \(number)")
        }
        try await setting.send()
        setting.time.advance(5)
        #expect(try await setting.text() == "body 3")
        #expect(setting.origin.requests.map { $0.headers.contains("If-None-Match") } == [false, true, false])
    }

    @Test("8. A caller's own condition passes through, and its 304 is the caller's")
    func ownCondition() async throws {
        let setting = Setting { request, _ in
            request.headers.contains("If-None-Match")
                ? reply(304, ["ETag": "\"b\"", "X-New": "1"], "")
                : reply(200, ["Cache-Control": "max-age=60", "ETag": "\"a\""])
        }
        try await setting.send()
        #expect(try await setting.send(get(["If-None-Match": "\"b\""])).status == 304)
        #expect(try await setting.send().headers.contains("X-New") == false)
        #expect(setting.origin.count == 2)
    }

    @Test("9. A partial response is not stored as the whole")
    func partial() async throws {
        let setting = Setting { request, _ in
            request.headers.contains("Range")
                ? reply(206, ["Cache-Control": "max-age=60", "Content-Range": "bytes 0-1/4"], "bo")
                : reply(200, ["Cache-Control": "max-age=60"])
        }
        try await setting.send(get(["Range": "bytes=0-1"]))
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 2)
    }

    @Test("10. A truncated body is not stored, whether collected or streamed")
    func cut() async throws {
        let short = Setting(["Cache-Control": "max-age=60", "Content-Length": "9"])
        try await short.send()
        try await short.send()
        #expect(short.origin.count == 2)
        let broken = Setting { request, _ in
            var response = reply(200, ["Cache-Control": "max-age=60"], url: request.url)
            let chunks = Locked(2)
            response.body = .stream(
                ResponseStream(
                    next: {
                        let left = chunks.withLock { chunks in
                            chunks -= 1
                            return chunks
                        }
                        guard left >= 0 else {
                            throw TransportError(.connectionLost, phase: .receive, message: "cut")
                        }
                        return Data("bo".utf8)
                    },
                    cancel: {}
                )
            )
            return response
        }
        for _ in 0..<2 { await #expect(throws: TransportError.self) { _ = try await broken.text() } }
        #expect(broken.origin.count == 2)
    }

    @Test("11. A HEAD response never serves a GET")
    func head() async throws {
        let setting = Setting(["Cache-Control": "max-age=60"])
        try await setting.send(TransportRequest(method: .head, url: page))
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 2)
        #expect(try await setting.send(TransportRequest(method: .head, url: page)).body.data?.isEmpty == true)
        #expect(setting.origin.count == 2)
    }

    @Test("12. A star anywhere in Vary matches nothing; absent is not the same as empty")
    func varyStar() async throws {
        for lines in [["*"], ["Foo, *"], ["Foo", "*"], [", *"]] {
            let headers = Headers([("Cache-Control", "max-age=60")] + lines.map { ("Vary", $0) })
            let setting = Setting(headers)
            try await setting.send()
            try await setting.send()
            #expect(setting.origin.count == 2, "\(lines)")
        }
        let setting = Setting(["Cache-Control": "max-age=60", "Vary": "Foo"])
        try await setting.send()
        try await setting.send(get(["Foo": ""]))
        #expect(setting.origin.count == 2)
    }

    @Test("13. One variant does not overwrite another, and a validation carries the selecting fields")
    func variants() async throws {
        let setting = Setting { request, _ in
            let language = request.headers["Foo"] ?? ""
            return reply(200, ["Cache-Control": "max-age=9", "Vary": "Foo", "ETag": "\"\(language)\""], language)
        }
        for language in ["en", "de", "en", "de"] {
            #expect(try await setting.text(get(["Foo": language])) == language)
        }
        #expect(setting.origin.count == 2)
        setting.time.advance(10)
        try await setting.send(get(["Foo": "en"]))
        #expect(setting.origin.requests.last?.headers["Foo"] == "en")
        #expect(setting.origin.requests.last?.headers["If-None-Match"] == "\"en\"")
    }

    @Test("16. A private cache stores private and authorized responses")
    func privateResponses() async throws {
        let setting = Setting(["Cache-Control": "private, max-age=60"])
        try await setting.send(get(["Authorization": "Bearer 1"]))
        try await setting.send(get(["Authorization": "Bearer 1"]))
        #expect(setting.origin.count == 1)
    }

    @Test("17. The window of stale-while-revalidate begins when the response becomes stale")
    func window() async throws {
        let setting = Setting(["Cache-Control": "max-age=60, stale-while-revalidate=30"])
        try await setting.send()
        setting.time.advance(80)
        try await setting.send()
        #expect(setting.outcome?.isStale == true)
        await setting.refreshes.idle()
        #expect(setting.origin.count == 2)
        setting.time.advance(95)
        try await setting.send()
        #expect(setting.outcome?.source == .network)
    }

    @Test("18. Neither max-stale nor stale-if-error beats must-revalidate")
    func mustRevalidate() async throws {
        let setting = Setting { request, number in
            if number > 1 { throw TransportError(.connectionLost, phase: .wait, message: "closed") }
            return reply(200, ["Cache-Control": "max-age=1, must-revalidate, stale-if-error=99"])
        }
        try await setting.send()
        setting.time.advance(5)
        await #expect(throws: TransportError.self) {
            try await setting.send(get(["Cache-Control": "max-stale"]), mode: .staleIfError(for: .seconds(99)))
        }
    }

    @Test("20. A failed validation replaces nothing")
    func failedValidation() async throws {
        let setting = Setting { request, number in
            number == 2
                ? reply(503, ["Cache-Control": "max-age=60"], "down")
                : reply(200, ["Cache-Control": "max-age=1, stale-if-error=60", "ETag": "\"a\""], "good")
        }
        try await setting.send()
        setting.time.advance(5)
        #expect(try await setting.text() == "good")
        #expect(setting.outcome?.reason == .ifError)
        #expect(try await setting.text() == "good")
        #expect(setting.origin.requests.last?.headers["If-None-Match"] == "\"a\"")
    }

    @Test("21. A successful change invalidates, a failed one does not, and an older GET is not fresh after it")
    func invalidation() async throws {
        let setting = Setting { request, _ in
            reply(request.headers.contains("Fail") ? 500 : 200, ["Cache-Control": "max-age=60"], url: request.url)
        }
        try await setting.send()
        try await setting.send(TransportRequest(method: .put, url: page, headers: ["Fail": "1"]))
        try await setting.send()
        #expect(setting.origin.count == 2)
        try await setting.send(TransportRequest(method: .put, url: page))
        try await setting.send()
        #expect(setting.origin.count == 4)

        let (arrived, gate) = (Gate(), Gate())
        let slow = Setting { request, number in
            if request.method == .get, number == 1 {
                await arrived.open()
                await gate.wait()
            }
            return reply(200, ["Cache-Control": "max-age=60"], "\(request.method) \(number)")
        }
        async let old = slow.text()
        await arrived.wait()
        slow.time.advance(1)
        try await slow.send(TransportRequest(method: .put, url: page))
        slow.time.advance(1)
        await gate.open()
        #expect(try await old == "GET 1")
        #expect(try await slow.text() == "GET 3")
    }

    @Test("22. Fields that Connection names are not stored")
    func connectionFields() async throws {
        let setting = Setting(["Cache-Control": "max-age=60", "Connection": "a, B", "A": "1", "b": "2", "C": "3"])
        #expect(try await setting.send().headers["A"] == "1")
        let hit = try await setting.send()
        #expect(hit.headers["A"] == nil && hit.headers["B"] == nil && hit.headers["Connection"] == nil)
        #expect(hit.headers["C"] == "3")
    }

    @Test("23. A directive's name inside another one's quoted value is not a directive")
    func quoted() async throws {
        let setting = Setting(["Cache-Control": "ext=\"no-store, max-age=0\", max-age=60"])
        try await setting.send()
        try await setting.send()
        #expect(setting.origin.count == 1)
    }

    @Test("24. A full disk, an unreadable folder or a damaged file costs an entry, not the call")
    func brokenDisk() async throws {
        for number in [ENOSPC, EIO, EACCES] {
            let files = ModelFiles()
            let setting = Setting(storage: DiskStorage("/cache", limit: 1 << 20, files: files) { 0 }) { request, _ in
                reply(200, ["Cache-Control": "max-age=60"], url: request.url)
            }
            files.fail { _, _ in number }
            #expect(try await setting.text() == "body")
            #expect(try await setting.text() == "body")
            #expect(await setting.engine.storage.counts.errors > 0)
        }
    }

    @Test(
        "25. A reader that abandons a stream stores nothing and holds nothing, and an oversized one evicts nothing else"
    )
    func abandoned() async throws {
        let setting = Setting { request, _ in
            var response = reply(200, ["Cache-Control": "max-age=60"], url: request.url)
            let body = request.url.path == "/large" ? String(repeating: "x", count: 1 << 18) : "body"
            if case .stream = request.delivery {
                response.body = .stream(DataContent(Data(body.utf8)).stream(0..<Int64(body.utf8.count)))
            } else {
                response.body = .bytes(Data(body.utf8))
            }
            return response
        }
        var streamed = get()
        streamed.delivery = .stream
        if case .stream(let stream) = try await setting.send(streamed).body {
            var iterator = stream.makeAsyncIterator()
            _ = try await iterator.next()
        }
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 2)
        let large = try #require(URL(string: "http://shop.test/large"))
        _ = try await setting.text(get([:], large))
        _ = try await setting.text(get([:], large))
        #expect(setting.origin.count == 4)
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 4)
        #expect(await setting.engine.storage.counts.evictions == 0)
    }
}

/// Lets nothing pass until it is opened.
actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    func wait() async {
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }
}
