import CoreNetKitCache
import TestSupport

@Suite("The cache on the wire", .timeLimit(.minutes(10)), .paced)
struct WireCacheTests {
    let server: LoopbackServer
    let folder = TestFolder()

    init() throws { server = try LoopbackServer() }

    func cache() -> ResponseCache {
        ResponseCache(memory: .mebibytes(1), disk: .folder(URL(filePath: folder.path), limit: .mebibytes(32)))
    }

    @Test("a validation carries the stored tag, and its 304 gives the stored body")
    func validation() async throws {
        server.on(.get, "/a") { request in
            request.headers["If-None-Match"] == "\"1\""
                ? .status(304, headers: ["ETag": "\"1\""])
                : LoopbackResponse.text("body").header("ETag", "\"1\"").header("Cache-Control", "no-cache")
        }
        let builder = UrlChainsBuilder<URL>(client: Client().cache(cache())).route(.get, server.url("/a"))
        for _ in 0..<2 { #expect(try await builder.loadData().process() as Data == Data("body".utf8)) }
        let requests = server.requests
        #expect(requests.count == 2)
        #expect(requests.last?.head.contains("If-None-Match: \"1\"\r\n") == true)
    }

    @Test("content that fails behind its head is not stored, and its status counts for what is")
    func brokenContent() async throws {
        let fresh = LoopbackResponse.text("0123456789").header("Cache-Control", "max-age=600")
        let gone = LoopbackResponse.text("0123456789", status: 404).header("Cache-Control", "max-age=600")
        server.on(.get, "/a", gone.fault(.close(.inBody(5))), gone)
        server.on(.get, "/b", fresh, fresh.fault(.close(.inBody(5))))
        server.on(.post, "/b", LoopbackResponse.text("0123456789").fault(.close(.inBody(5))))
        let client = Client().cache(cache())
        let base = UrlChainsBuilder<URL>(client: client)
        for isCut in [true, false, false] {
            let chain = base.route(.get, server.url("/a")).loadData()
            let error = await #expect(throws: NetworkError.self) { try await chain.process() }
            #expect(error?.code == .notFound && (error?.cause != nil) == isCut)
        }
        #expect(server.requests.count == 2)
        // An unsafe request that was accepted makes what is stored unusable (RFC 9111, 4.4).
        let read = base.route(.get, server.url("/b"))
        #expect(try await read.loadData().process() as Data == Data("0123456789".utf8))
        await #expect(throws: NetworkError.self) { try await base.route(.post, server.url("/b")).build().process() }
        await #expect(throws: NetworkError.self) { try await read.loadData().process() as Data }
        #expect(server.requests.count == 5)
    }

    @Test("a stale response stands in for a success whose content is cut, and for a cut 503, not for a cut 404")
    func brokenStandIn() async throws {
        let stale = LoopbackResponse.text("0123456789").header("Cache-Control", "max-age=0, stale-if-error=600")
        for (status, isUsed) in [(200, true), (503, true), (404, false)] {
            var cut = stale.fault(.close(.inBody(5)))
            cut.status = status
            server.on(.get, "/\(status)", stale, cut)
            let builder = UrlChainsBuilder<URL>(client: Client().cache(cache())).route(.get, server.url("/\(status)"))
            _ = try await builder.loadData().process() as Data
            let again = try? await builder.loadData().process() as Data
            #expect((again == Data("0123456789".utf8)) == isUsed, "\(status)")
        }
    }

    @Test(
        "streams and files share entries with collected responses, and a truncated one is not stored",
        arguments: [true, false]
    )
    func streamsAndFiles(isCut: Bool) async throws {
        let bytes = Data.numbered(400_000)
        server.on(.get, "/a") { request in
            var response = LoopbackResponse.data(bytes).header("Cache-Control", "max-age=600")
            if isCut, request.index == 0 { response.faults = [.close(.inBody(100_000))] }
            return response
        }
        let cache = cache()
        let builder = UrlChainsBuilder<URL>(client: Client().cache(cache)).route(.get, server.url("/a"))
        var read = Data()
        do {
            for try await chunk in try await builder.loadStream().process() as ResponseStream { read.append(chunk) }
        } catch is NetworkError {
            #expect(isCut)
        }
        #expect(isCut ? read.count < bytes.count : read == bytes)
        await cache.flush()
        #expect(try await builder.loadData().process() as Data == bytes)
        await cache.flush()
        let file = URL(filePath: folder.path).appending(path: "copy")
        _ = try await builder.download(to: file).process() as Response<URL>
        #expect(try Data(contentsOf: file) == bytes)
        let again = try await builder.loadStream().process() as ResponseStream
        #expect(try await again.collect().reduce(Data(), +) == bytes)
        #expect(server.requests.count == (isCut ? 2 : 1))
    }

    @Test("a response that ends with the connection is not stored")
    func closeDelimited() async throws {
        server.on(.get, "/a", .raw("HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n\r\nbody"))
        let builder = UrlChainsBuilder<URL>(client: Client().cache(cache())).route(.get, server.url("/a"))
        for _ in 0..<2 { #expect(try await builder.loadData().process() as Data == Data("body".utf8)) }
        #expect(server.requests.count == 2)
    }

    @Test("a successful PUT makes the next GET ask again; a range is cut out of the stored response")
    func putAndRange() async throws {
        server.on(.get, "/a", LoopbackResponse.text("0123456789").header("Cache-Control", "max-age=600"))
        server.on(.put, "/a", .status(204))
        let builder = UrlChainsBuilder<URL>(client: Client().cache(cache())).route(.get, server.url("/a"))
        _ = try await builder.loadData().process() as Data
        let part: Chain<Void, Response<Data>> = builder.set(headers: ["Range": "bytes=2-4"]).build()
        let response = try await part.process() as Response<Data>
        #expect(response.status == 206 && response.model == Data("234".utf8))
        #expect(response.headers["Content-Range"] == "bytes 2-4/10")
        let put: Chain<Void, Void> = builder.route(.put, server.url("/a")).build()
        try await put.process() as Void
        _ = try await builder.loadData().process() as Data
        #expect(server.requests.map(\.method) == [.get, .put, .get])
    }
}
