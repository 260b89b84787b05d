import CoreNetKitCache
import TestSupport

@Suite("Invalidation by changes", .timeLimit(.minutes(10)), .paced)
struct InvalidationTests {
    /// The fields of a response that stays in memory.
    private let secret = control("max-age=60", ["Set-Cookie": "a=b"])
    static let user: Headers = ["Authorization": "Bearer alice"]

    @Test("a GET that began before a write is not fresh after it, in any process", arguments: [[:], user])
    func slowGet(reader: Headers) async throws {
        for writer in [[:], Self.user] {
            let stop = Stop()
            let shop = Shop(disk: .mebibytes(64), Origin.numbered(fresh, stop))
            async let slow = shop.text("page", reader)
            await stop.isReached()
            try await shop.post("page", writer)
            stop.open()
            #expect(try await slow == "1")
            for _ in 0..<2 { #expect(try await shop.text("page", reader) == "3") }
        }
    }

    @Test("a write affects responses stored for everybody and for each user", arguments: [[:], user])
    func everyPartition(writer: Headers) async throws {
        let shop = Shop(disk: .mebibytes(64), Origin.numbered(fresh))
        let readers: [Headers] = [[:], Self.user, ["Authorization": "Bearer bob"], ["X-Api-Key": "1"]]
        for reader in readers { _ = try await shop.text("page", reader) }
        try await shop.post("page", writer)
        let count = shop.origin.count
        for (index, reader) in readers.enumerated() {
            #expect(try await shop.text("page", reader) == "\(count + index + 1)")
        }
    }

    @Test("a group is invalidated for users with credentials too, by a response and by hand", arguments: [true, false])
    func groups(byHand: Bool) async throws {
        let shop = Shop(disk: .mebibytes(64)) { request, number in
            request.method == .get
                ? reply(200, control("max-age=60", ["Cache-Groups": "\"cart\""]), "\(number)")
                : reply(204, ["Cache-Group-Invalidation": "\"cart\""], "")
        }
        for reader in [[:], Self.user] { _ = try await shop.text("page", reader) }
        shop.time.advance(1)
        if byHand { await shop.cache.invalidate(group: "cart", of: page) } else { try await shop.post("other") }
        shop.time.advance(1)
        let count = shop.origin.count
        #expect(try await shop.text() == "\(count + 1)")
        for _ in 0..<2 { #expect(try await shop.text("page", Self.user) == "\(count + 2)") }
    }

    @Test("groups that are invalidated beside URLs are those of the first URL's origin")
    func groupsOfFirst() async throws {
        let setting = Setting(Origin.numbered(["Cache-Control": "max-age=60", "Cache-Groups": "\"cart\""]))
        let other = try #require(URL(string: "http://other.test/page"))
        #expect(try await setting.text() == "1")
        #expect(try await setting.text(get([:], other)) == "2")
        setting.time.advance(1)
        let urls = [page, other].map { $0.sibling("changed") }
        await setting.engine.invalidate(urls, groups: ["cart"], in: CacheScope())
        setting.time.advance(1)
        #expect(try await setting.text() == "3")
        #expect(try await setting.text(get([:], other)) == "2")
    }

    @Test("a HEAD without a matching validator does not end an invalidation, nor does one that began before it")
    func head() async throws {
        for headers in [fresh, tagged] {
            let setting = Setting { request, number in
                reply(200, headers, request.method == .head ? "" : "\(number)")
            }
            _ = try await setting.text()
            setting.time.advance(1)
            try await setting.send(TransportRequest(method: .put, url: page))
            setting.time.advance(1)
            try await setting.send(get(control("no-cache"), method: .head))
            setting.time.advance(1)
            // With the same tag the server has confirmed that nothing changed.
            #expect(try await setting.text() == (headers.contains("ETag") ? "1" : "4"))
        }
        let stop = Stop()
        let setting = Setting { request, number in
            if request.method == .head { await stop.pass() }
            return reply(200, tagged, "\(number)")
        }
        _ = try await setting.text()
        async let head = setting.send(get(control("no-cache"), method: .head))
        await stop.isReached()
        setting.time.advance(1)
        try await setting.send(TransportRequest(method: .put, url: page))
        setting.time.advance(1)
        stop.open()
        _ = try await head
        #expect(try await setting.text() == "4")
    }

    @Test(
        "a 304 with no-store, or selected by everything, serves its call and leaves nothing behind",
        arguments: [control("no-store"), ["Vary": "*"]] as [Headers]
    )
    func unwanted304(headers: Headers) async throws {
        let setting = Setting { request, number in
            let validators: Headers = ["ETag": "\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"]
            return request.headers.contains("If-None-Match")
                ? reply(304, headers, "") : reply(200, control("max-age=1", validators), "\(number)")
        }
        #expect(try await setting.text() == "1")
        setting.time.advance(5)
        #expect(try await setting.text() == "1")
        #expect(setting.outcome?.source == .validated && setting.outcome?.isStored == false)
        #expect(try await setting.text() == "3")
    }

    @Test("a response that must not be stored removes the one that it replaces")
    func noStoreReplaces() async throws {
        let setting = Setting { _, number in reply(200, number == 2 ? control("no-store") : fresh, "\(number)") }
        _ = try await setting.text()
        #expect(try await setting.text(mode: .reload) == "2")
        #expect(try await setting.text() == "3")
    }

    @Test("what a confidential response replaced on disk does not come back in the next run")
    func confidentialReplaces() async throws {
        let shop = Shop(disk: .mebibytes(64)) { [secret] _, number in
            reply(200, number == 2 ? secret : fresh, "\(number)")
        }
        #expect(try await shop.text() == "1")
        await shop.cache.flush()
        #expect(try await shop.text { $0.cache(.reload) } == "2")
        #expect(try await shop.text() == "2")
        await shop.cache.flush()
        let next = Shop(disk: .mebibytes(64), in: shop.folder) { _, _ in reply(200, fresh, "new") }
        #expect(try await next.text() == "new")
    }

    @Test("stored responses can be listed and removed one by one, on disk and in memory")
    func entries() async throws {
        let shop = Shop(disk: .mebibytes(64)) { [secret] request, number in
            reply(200, request.url.path == "/b" ? secret : fresh, "\(number)")
        }
        for path in ["a", "b", "c"] { _ = try await shop.text(path) }
        #expect(await shop.cache.urls().map(\.path) == ["/a", "/b", "/c"])
        for path in ["a", "b"] { await shop.cache.remove(page.sibling(path)) }
        #expect(await shop.cache.urls(of: .anonymous).map(\.path) == ["/c"])
        #expect(try await shop.text("a") == "4")
        #expect(try await shop.text("b") == "5")
        #expect(try await shop.text("c") == "3")
    }

    @Test("changes of URLs that are not stored evict nothing and create no file")
    func manyWrites() async throws {
        let shop = Shop { _, _ in reply(200, fresh) }
        for number in 0..<50 { _ = try await shop.text("kept\(number)") }
        for number in 0..<2_000 { try await shop.post("\(number)") }
        let counts = await shop.cache.storageCounts
        #expect(counts.entries == 50 && counts.evictions == 0)
        let disk = Shop(disk: .mebibytes(64)) { _, _ in reply(200, fresh) }
        for number in 0..<200 { try await disk.post("\(number)") }
        #expect(try await disk.files() == [])
    }
}
