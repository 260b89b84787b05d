import CoreNetKitCache
import FileModel
import TestSupport

/// Common mistakes of caches, one test for each case.
@Suite("Common mistakes of caches", .paced)
struct TrapTests {
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

    @Test("5., 6. A 304 updates all fields, even unknown ones, except length and coding of the stored body")
    func updatesFields() async throws {
        let setting = Setting { _, number in
            var headers: Headers =
                number == 1
                ? ["Cache-Control": "max-age=1", "Content-Length": "4", "Content-Encoding": "gzip", "Age": "9"]
                : ["Cache-Control": "max-age=60", "Content-Length": "0", "Content-Encoding": "br", "X-New": "1"]
            headers["ETag"] = "\"a\""
            headers["X-Content-Foo"] = number == 1 ? "old" : "new"
            return reply(number == 1 ? 200 : 304, headers, number == 1 ? "body" : "")
        }
        try await setting.send()
        for age in ["0", "5"] {
            setting.time.advance(5)
            let response = try await setting.send()
            #expect(setting.origin.count == 2)
            #expect(response.headers["Content-Length"] == "4" && response.headers["Content-Encoding"] == "gzip")
            #expect(response.headers["X-New"] == "1" && response.headers["X-Content-Foo"] == "new")
            #expect(response.headers["Age"] == age && response.body.data == Data("body".utf8))
        }
    }

    @Test("7. A 304 for a response that is not stored is requested again without a condition")
    func foreign304() async throws {
        let setting = Setting { _, number in
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

    @Test("10. A truncated body is not stored")
    func cut() async throws {
        let short = Setting(["Cache-Control": "max-age=60", "Content-Length": "9"])
        try await short.send()
        try await short.send()
        #expect(short.origin.count == 2)
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
        let setting = Setting { _, number in
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
        let setting = Setting { _, number in
            number == 2
                ? reply(503, ["Cache-Control": "max-age=60"], "down")
                : reply(200, ["Cache-Control": "max-age=1, stale-if-error=60", "ETag": "\"a\""], "good")
        }
        try await setting.send()
        setting.time.advance(5)
        #expect(try await setting.text() == "good")
        #expect(setting.outcome?.reason == CacheReason(.ifError))
        #expect(try await setting.text() == "good")
        #expect(setting.origin.requests.last?.headers["If-None-Match"] == "\"a\"")
    }

    @Test("21. A successful change invalidates, a failed one does not")
    func invalidation() async throws {
        let setting = Setting { request, _ in
            reply(request.headers.contains("Fail") ? 500 : 200, ["Cache-Control": "max-age=60"])
        }
        try await setting.send()
        try await setting.send(TransportRequest(method: .put, url: page, headers: ["Fail": "1"]))
        try await setting.send()
        #expect(setting.origin.count == 2)
        try await setting.send(TransportRequest(method: .put, url: page))
        try await setting.send()
        #expect(setting.origin.count == 4)
    }

    @Test("22. Fields that Connection names are not stored")
    func connectionFields() async throws {
        let setting = Setting(["Cache-Control": "max-age=60", "Connection": "a, B", "A": "1", "b": "2", "C": "3"])
        #expect(try await setting.send().headers["A"] == "1")
        let hit = try await setting.send()
        #expect(hit.headers["A"] == nil && hit.headers["B"] == nil && hit.headers["Connection"] == nil)
        #expect(hit.headers["C"] == "3")
    }

    @Test("24. A full disk, an unreadable folder or a damaged file costs an entry, not the call")
    func brokenDisk() async throws {
        for number in [ENOSPC, EIO, EACCES] {
            let files = ModelFiles()
            let setting = Setting(storage: DiskStorage("/cache", limit: 1 << 20, files: files) { 0 }) { _, _ in
                reply(200, ["Cache-Control": "max-age=60"])
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
            var response = reply(200, ["Cache-Control": "max-age=60"])
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
