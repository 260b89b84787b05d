import TestSupport

@Suite("A hook for redirects", .timeLimit(.minutes(10)), .paced)
struct RedirectHookTests {
    let requests = Recorder<TransportRequest>()

    /// `/1` points to `/2`, and so on up to `/4`; the first hop leaves the origin.
    private func builder(_ path: String = "/1") -> UrlChainsBuilder<String> {
        let transport = ClosureTransport { [requests] request in
            requests.record(request)
            let number = request.url.path.dropFirst().first.flatMap { Int(String($0)) } ?? 4
            guard number < 4 else { return .init(status: 200, url: request.url) }
            let target = number == 1 ? "http://b.test/2" : "/\(number + 1)"
            return .init(status: 307, headers: ["Location": target, "X-Hop": "\(number)"], url: request.url)
        }
        return UrlChainsBuilder<String>(client: Client(transport: transport)).route(.get, "http://a.test\(path)")
            .authorize(user: "a", password: "b")
    }

    private var paths: [String] { requests.values.map(\.url.absoluteString) }

    @Test("sees each hop with its number, status, fields and both requests, and may let it be followed")
    func follow() async throws {
        let hops = Recorder<TransportResponse.Redirect>()
        try await builder().onRedirect { hop in
            hops.record(hop)
            return .follow
        }.build().process()
        #expect(hops.values.map(\.number) == [1, 2, 3])
        #expect(hops.values.map(\.status) == [307, 307, 307])
        #expect(hops.values.map { $0.headers["X-Hop"] } == ["1", "2", "3"])
        #expect(hops.values.map(\.request.url.path) == ["/1", "/2", "/3"])
        #expect(hops.values.map(\.next.url.path) == ["/2", "/3", "/4"])
        #expect(hops.values.first?.request.headers.contains("Authorization") == true)
        #expect(hops.values.first?.next.headers.contains("Authorization") == false)
        #expect(paths == ["http://a.test/1", "http://b.test/2", "http://b.test/3", "http://b.test/4"])
    }

    @Test("stops at a hop: the redirect is the response, and nothing more is sent")
    func stop() async throws {
        let builder = builder().onRedirect { $0.number == 2 ? .stop : .follow }
        let error = await failure { try await builder.build().process() }
        #expect(error?.status == 307)
        #expect(error?.response?.headers["Location"] == "/3")
        let response: Response<Void> = try await builder.without(.status).build().process()
        #expect(response.status == 307)
        #expect(paths.allSatisfy { !$0.hasSuffix("/3") })
    }

    @Test("sends another request in its place")
    func modify() async throws {
        try await builder().onRedirect { hop in
            var next = hop.next
            next.headers["X-From"] = hop.request.url.host
            if hop.number == 1, let url = URL(string: "http://c.test/4") { next.url = url }
            return .modify(next)
        }.build().process()
        #expect(paths == ["http://a.test/1", "http://c.test/4"])
        #expect(requests.values.last?.headers["X-From"] == "a.test")
    }

    @Test("counts within its limit, and zero follows none without asking")
    func limit() async throws {
        let asked = Recorder<Int>()
        for limit in [0, 2] {
            let chain: Chain<Void, Void> = builder().onRedirect(limit: limit) { hop in
                asked.record(hop.number)
                return .follow
            }.build()
            let error = await #expect(throws: NetworkError.self) { try await chain.process() }
            #expect(error?.code == (limit == 0 ? .unacceptableStatus : .tooManyRedirects))
        }
        #expect(asked.values == [1, 2])
    }

    @Test("is not asked about a redirect that must not be followed")
    func refused() async throws {
        let transport = ClosureTransport {
            .init(status: 302, headers: ["Location": "http://a.test/"], url: $0.url)
        }
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "https://a.test/").onRedirect { .modify($0.next) }.build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .redirectRefused)
    }
}

@Suite("The content of a redirected request", .timeLimit(.minutes(10)), .paced)
struct RedirectContentTests {
    private let fields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Digest", "content-md5",
        "Digest", "Repr-Digest", "Last-Modified",
    ]

    @Test(
        "goes with every field that describes it, or stays with all of them",
        arguments: [(301, false), (302, false), (303, false), (307, true), (308, true)]
    )
    func fields(status: Int, keeps: Bool) async throws {
        let requests = Recorder<TransportRequest>()
        let transport = ClosureTransport { request in
            requests.record(request)
            guard requests.values.count == 1 else { return .init(status: 200, url: request.url) }
            return .init(status: status, headers: ["Location": "/z"], url: request.url)
        }
        var headers: Headers = ["Accept-Language": "de", "X-Own": "1"]
        for name in fields { headers[name] = "x" }
        let request = TransportRequest(
            method: .post,
            url: try #require(URL(string: "http://a.test/x")),
            headers: headers,
            body: .bytes(Data("body".utf8))
        )
        let node = RedirectNode(next: TransportNode(transport))
        _ = try await node.process(request, context: RequestContext())
        let second = try #require(requests.values.last)
        #expect(requests.values.count == 2)
        for name in fields { #expect(second.headers.contains(name) == keeps, "\(name)") }
        #expect(second.headers["Accept-Language"] == "de" && second.headers["X-Own"] == "1")
    }

    @Test("of a streamed redirect is abandoned before the next request, which would otherwise wait for its connection")
    func streams() async throws {
        let closed = Recorder<Bool>()
        let wasClosed = Recorder<Bool>()
        let transport = ClosureTransport { request in
            let isFirst = request.url.path == "/x"
            wasClosed.record(!closed.values.isEmpty)
            let stream = ResponseStream(next: { Data("<".utf8) }, cancel: { if isFirst { closed.record(true) } })
            return .init(
                status: isFirst ? 302 : 200,
                headers: isFirst ? ["Location": "/z"] : [:],
                body: .stream(stream),
                url: request.url
            )
        }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "http://a.test/x").loadStream()
        _ = try await chain.process() as ResponseStream
        #expect(wasClosed.values == [false, true])
    }
}
