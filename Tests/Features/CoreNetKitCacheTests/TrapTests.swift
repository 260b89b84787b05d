import CoreNetKitCache
import FileModel
import TestSupport

/// Common mistakes of caches, one test for each case.
@Suite("Common mistakes of caches", .paced)
struct TrapTests {
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
                ? reply(304, ["ETag": "\"b\"", "X-New": "1"], "") : reply(200, tagged)
        }
        try await setting.send()
        #expect(try await setting.send(get(["If-None-Match": "\"b\""])).status == 304)
        #expect(try await setting.send().headers.contains("X-New") == false)
        #expect(setting.origin.count == 2)
    }

    @Test("11. A HEAD response never serves a GET")
    func head() async throws {
        let setting = Setting(fresh)
        try await setting.send(TransportRequest(method: .head, url: page))
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 2)
        #expect(try await setting.send(TransportRequest(method: .head, url: page)).body.data?.isEmpty == true)
        #expect(setting.origin.count == 2)
    }

    @Test(
        "10., 12., 16. A truncated body is not stored, nor one with a star anywhere in Vary; a private and authorized one is",
        arguments: [
            (control("max-age=60", ["Content-Length": "9"]), 2), (control("max-age=60", ["Vary": "*"]), 2),
            (control("max-age=60", ["Vary": "Foo, *"]), 2), (control("max-age=60", ["Vary": ", *"]), 2),
            (Headers([("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Vary", "*")]), 2),
            (control("private, max-age=60"), 1),
        ]
    )
    func stored(headers: Headers, exchanges: Int) async throws {
        let setting = Setting(headers)
        for _ in 0..<2 { try await setting.send(get(["Authorization": "Bearer 1"])) }
        #expect(setting.origin.count == exchanges)
    }

    @Test("12. An absent field is not the same as an empty one")
    func varyAbsent() async throws {
        let setting = Setting(control("max-age=60", ["Vary": "Foo"]))
        try await setting.send()
        try await setting.send(get(["Foo": ""]))
        #expect(setting.origin.count == 2)
    }

    @Test("13. One variant does not overwrite another, and a validation carries the selecting fields")
    func variants() async throws {
        let setting = Setting { request, _ in
            let language = request.headers["Foo"] ?? ""
            return reply(200, control("max-age=9", ["Vary": "Foo", "ETag": "\"\(language)\""]), language)
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

    @Test("18. Neither max-stale nor stale-if-error beats must-revalidate")
    func mustRevalidate() async throws {
        let setting = Setting { _, number in
            if number > 1 { throw TransportError(.connectionLost, phase: .wait, message: "closed") }
            return reply(200, control("max-age=1, must-revalidate, stale-if-error=99"))
        }
        try await setting.send()
        setting.time.advance(5)
        await #expect(throws: TransportError.self) {
            try await setting.send(get(control("max-stale")), mode: .staleIfError(for: .seconds(99)))
        }
    }

    @Test("20. A failed validation replaces nothing")
    func failedValidation() async throws {
        let setting = Setting { _, number in
            number == 2
                ? reply(503, fresh, "down")
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
        let setting = Setting { request, _ in reply(request.headers.contains("Fail") ? 500 : 200, fresh) }
        try await setting.send()
        try await setting.send(TransportRequest(method: .put, url: page, headers: ["Fail": "1"]))
        try await setting.send()
        #expect(setting.origin.count == 2)
        try await setting.send(TransportRequest(method: .put, url: page))
        try await setting.send()
        #expect(setting.origin.count == 4)
    }

    @Test("24. A full disk, an unreadable folder or a damaged file costs an entry, not the call")
    func brokenDisk() async throws {
        for number in [ENOSPC, EIO, EACCES] {
            let files = ModelFiles()
            let setting = Setting(storage: disk(files)) { _, _ in reply(200, fresh) }
            files.fail { _, _ in number }
            for _ in 0..<2 { #expect(try await setting.text() == "body") }
            #expect(await setting.engine.vault.open.counts.errors > 0)
        }
    }

    @Test("25. A reader that abandons a stream stores and holds nothing, and an oversized one evicts nothing else")
    func abandoned() async throws {
        let setting = Setting { request, _ in
            let body = request.url.path == "/large" ? String(repeating: "x", count: 1 << 18) : "body"
            var response = reply(200, fresh, body)
            if case .stream = request.delivery {
                response.body = .stream(DataContent(Data(body.utf8)).stream(0..<Int64(body.utf8.count)))
            }
            return response
        }
        do {
            var iterator = try await setting.send(get(delivery: .stream)).stream().makeAsyncIterator()
            _ = try await iterator.next()
        }
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 2)
        for _ in 0..<2 { _ = try await setting.text(get([:], page.sibling("large"))) }
        #expect(setting.origin.count == 4)
        #expect(try await setting.text() == "body")
        #expect(setting.origin.count == 4)
        #expect(await setting.engine.vault.open.counts.evictions == 0)
    }
}
