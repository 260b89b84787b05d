import CoreNetKitCache
import TestSupport

@Suite("The rule of No-Vary-Search", .paced)
struct NoVarySearchTests {
    private static func same(_ field: String, _ left: String, _ right: String) -> Bool? {
        NoVarySearch(["No-Vary-Search": field]).map { $0.items(of: left[...]) == $0.items(of: right[...]) }
    }

    @Test(
        "invalid or ineffective values of the draft change nothing",
        arguments: [
            "unknown-key", "key-order=\"not a boolean\"", "params=\"not a boolean or inner list\"",
            "params=(not-a-string)", "params=(\"a\"), except=(\"x\")", "params=(), except=()",
            "params=?0, except=(\"x\")", "params, except=(not-a-string)", "params, except=\"not an inner list\"",
            "params, except=?1", "except=(\"x\")", "except=()", "params=?0", "params=()", "key-order=?0", "",
            "params=(\"a\"", "params=(\"a\", \"b\")", "Params", "params=(\"a\" 1)", "params, \"", "params=?2",
        ]
    )
    func invalid(field: String) {
        #expect(NoVarySearch(["No-Vary-Search": field]) == nil)
    }

    @Test(
        "which queries are equal",
        arguments: [
            ("params", "a=1", "", true), ("params=?1", "a=1&b=2", "c", true),
            ("params, except=(\"x\")", "x=1&a=1", "b=2&x=1", true),
            ("params, except=(\"x\")", "x=1", "x=2", false), ("params=(\"a\")", "a=1&b=2", "b=2", true),
            ("params=(\"a\")", "a=1&b=2", "b=3", false), ("params=(\"a\")", "b=1&c=2", "c=2&b=1", false),
            ("key-order", "b=1&c=2", "c=2&b=1", true), ("key-order", "a=1&a=2", "a=2&a=1", false),
            ("key-order, params, except=(\"x\")", "y=1&x=1", "x=1", true), ("params, key-order", "a", "b", true),
            ("params=(\"a\");q=1, key-order;v", "a=1&c=1&b=1", "b=1&c=1", true),
            ("params=(\"a\" \"b\")", "a&b=1", "", true), ("params=(\"a\";q \"b\")", "a&b=1", "", true),
            ("future=token, params=(\"a\")", "a", "", true),
            ("future=(\"x\" y), key-order", "a&b", "b&a", true), ("key-order=?0, params=(\"a\")", "a", "", true),
            ("key-order", "a=b&&&c", "a=b&c=", true), ("key-order", "a=%20", "a=+", true),
            ("key-order", "a", "A", false),
            ("params=(\"%C3%A9+%E6%B0%97\")", "%C3%A9%20%E6%B0%97=3", "%c3%a9+%e6%b0%97=4&", true),
            ("params=(\"a\\\"b\")", "a%22b=1", "", true), ("params, params=(\"a\")", "b=1", "", false),
        ]
    )
    func equivalence(field: String, left: String, right: String, isSame: Bool) {
        #expect(Self.same(field, left, right) == isSame)
    }

    @Test("two lines are one dictionary")
    func lines() {
        let headers = Headers([("No-Vary-Search", "params"), ("No-Vary-Search", "except=(\"x\")")])
        #expect(NoVarySearch(headers) == NoVarySearch(["No-Vary-Search": "params, except=(\"x\")"]))
    }
}

@Suite("Look-ups by No-Vary-Search", .timeLimit(.minutes(10)), .paced)
struct SearchLookupTests {
    static func setting(
        _ rule: String = "key-order, params=(\"utm\")",
        _ more: Headers = [:],
        storage: any CacheStorage = MemoryStorage(limit: 4 << 20)
    ) -> Setting {
        var headers = control("max-age=60", ["ETag": "\"a\"", "No-Vary-Search": rule])
        headers.merge(more)
        return Setting(storage: storage, Origin.numbered(headers))
    }

    static func request(
        _ query: String,
        _ headers: Headers = [:],
        path: String = "list",
        method: HTTPMethod = .get
    ) throws -> TransportRequest {
        get(headers, try #require(URL(string: "http://shop.test/\(path)\(query)")), method: method)
    }

    @Test("a stored response is used for a URL whose query makes no difference, in every mode that reads")
    func hit() async throws {
        let setting = Self.setting()
        _ = try await setting.send(Self.request("?a=1&b=2&utm=x"))
        for query in ["?b=2&a=1", "?utm=y&b=2&a=1", "?a=1&b=2&utm=z#top"] {
            #expect(try await setting.text(Self.request(query)) == "1")
            #expect(setting.outcome?.source == .hit)
            #expect(try await setting.text(Self.request(query), mode: .only) == "1")
        }
        #expect(try await setting.send(Self.request("?b=2&a=1", method: .head)).status == 200)
        #expect(setting.origin.count == 1)
        for query in ["?a=1", "?a=1&b=3", "", "?a=1&b=2&c"] { _ = try await setting.send(Self.request(query)) }
        _ = try await setting.send(Self.request("?a=1&b=2", path: "other"))
        #expect(setting.origin.count == 6)
    }

    @Test("a URL without a query and one with an empty query count as equal if others do")
    func noQuery() async throws {
        let setting = Self.setting("params")
        _ = try await setting.send(Self.request(""))
        #expect(try await setting.text(Self.request("?utm=1")) == "1")
        #expect(try await setting.text(Self.request("?")) == "1")
    }

    @Test("a stale, varying or unvalidated response is requested under its own URL")
    func ownURL() async throws {
        let setting = Self.setting("params", ["Vary": "Accept"])
        _ = try await setting.send(Self.request("?1"))
        #expect(try await setting.text(Self.request("?2", ["Accept": "a/b"])) == "2")
        #expect(try await setting.text(Self.request("?3", control("no-cache"))) == "3")
        setting.time.advance(100)
        #expect(try await setting.text(Self.request("?4")) == "4")
        #expect(setting.origin.requests.allSatisfy { !$0.headers.contains("If-None-Match") })
    }

    @Test("a change of any URL of the path ends it, even from another process", arguments: [false, true])
    func invalidated(elsewhere: Bool) async throws {
        let folder = TestFolder()
        let storages = (0..<2).map { _ in DiskStorage(folder.path, limit: 1 << 20) { 0 } }
        let setting = Self.setting(storage: storages[0])
        let other = Self.setting(storage: storages[1])
        for query in ["?a=1", "?a=1&utm=1"] { _ = try await setting.send(Self.request(query)) }
        #expect(setting.origin.count == 1)
        _ = try await (elsewhere ? other : setting).send(Self.request("?a=1&utm=1", method: .post))
        let before = setting.origin.count
        _ = try await setting.send(Self.request("?a=1&utm=1"))
        #expect(setting.origin.count == before + 1)
        // Later responses count again.
        #expect(try await setting.send(Self.request("?utm=2&a=1"), mode: .only).status == 200)
    }

    @Test("a change while the response is on its way counts too")
    func meanwhile() async throws {
        let stop = Stop()
        let setting = Setting(Origin.numbered(control("max-age=60", ["No-Vary-Search": "params"]), stop))
        async let slow = setting.text(Self.request("?1"))
        await stop.isReached()
        _ = try await setting.send(Self.request("?2", method: .post))
        stop.open()
        _ = try await slow
        #expect(try await setting.text(Self.request("?2")) == "3")
    }

    @Test("a later response without the rule revokes it, and other users have their own")
    func takenBack() async throws {
        let setting = Setting { _, number in
            reply(200, number == 1 ? control("max-age=60", ["No-Vary-Search": "params"]) : fresh, "\(number)")
        }
        _ = try await setting.send(Self.request("?1"))
        #expect(try await setting.send(Self.request("?2"), mode: .only, partition: "bob").status == 504)
        _ = try await setting.send(Self.request("?1"), mode: .reload)
        #expect(try await setting.send(Self.request("?2"), mode: .only).status == 504)
    }

    @Test("the memory is bounded: of many URLs the latest are found")
    func bounded() async throws {
        let setting = Self.setting("params=(\"utm\")")
        for number in 0..<200 { _ = try await setting.send(Self.request("?a=\(number)")) }
        #expect(try await setting.send(Self.request("?a=199&utm"), mode: .only).status == 200)
        #expect(try await setting.send(Self.request("?a=0&utm"), mode: .only).status == 504)
        for number in 0..<300 { _ = try await setting.send(Self.request("?a", path: "p\(number)")) }
        #expect(try await setting.send(Self.request("?a&utm", path: "p299"), mode: .only).status == 200)
        #expect(try await setting.send(Self.request("?a=199&utm"), mode: .only).status == 504)
    }
}
