import TestSupport

@Suite("Redirects", .timeLimit(.minutes(10)), .paced)
struct RedirectTests {
    let requests = Recorder<TransportRequest>()

    /// Redirects the first request, responds to the second.
    func transport(status: Int, to location: String) -> ClosureTransport {
        ClosureTransport { request in
            requests.record(request)
            guard requests.values.count == 1 else { return .init(status: 200, url: request.url) }
            return .init(status: status, headers: ["Location": location], url: request.url)
        }
    }

    func follow(_ request: TransportRequest, status: Int, to location: String) async throws -> TransportRequest {
        let node = RedirectNode(next: TransportNode(transport(status: status, to: location)))
        _ = try await node.process(request, context: RequestContext())
        return try #require(requests.values.last)
    }

    func request(_ method: HTTPMethod, _ url: String = "http://a.test/x/y", headers: Headers = [:]) throws
        -> TransportRequest
    {
        TransportRequest(
            method: method,
            url: try url.url(),
            headers: headers,
            body: method == .get || method == .head ? .empty : .bytes(Data("body".utf8))
        )
    }

    /// The error of a redirect that must not be followed.
    func refusal(of request: TransportRequest, status: Int = 302, to location: String) async -> NetworkError? {
        let error = await failure { _ = try await follow(request, status: status, to: location) }
        #expect(error?.code == .redirectRefused)
        #expect(requests.values.count == 1)
        return error
    }

    @Test("a body that is sent to another origin has no trailers that may be secrets", arguments: [true, false])
    func trailers(isSameOrigin: Bool) async throws {
        var request = try request(.put, headers: ["Trailer": "X-Sum, X-Api-Key, X-Own"])
        for name in ["X-Sum", "X-Api-Key", "X-Own"] { request.body = request.body.trailer(name) { "1" } }
        let target = isSameOrigin ? "/z" : "http://b.test/z"
        let node = RedirectNode(next: TransportNode(transport(status: 307, to: target)))
        var context = RequestContext()
        context.credentialFields = ["x-own"]
        _ = try await node.process(request, context: context)
        let sent = try #require(requests.values.last)
        #expect(sent.url.path == "/z" && sent.body.streamLength == 4)
        #expect(sent.body.trailers.map(\.name) == (isSameOrigin ? ["X-Sum", "X-Api-Key", "X-Own"] : ["X-Sum"]))
        #expect(sent.headers.contains("Trailer") == isSameOrigin)
    }

    static let methods: [(Int, HTTPMethod, HTTPMethod, Bool)] =
        [301, 302, 307, 308].flatMap { status in
            [
                (status, HTTPMethod.get, HTTPMethod.get, false), (status, .head, .head, false),
                (status, .post, status < 303 ? .get : .post, status > 303),
                (status, .put, .put, true), (status, .delete, .delete, true), (status, .patch, .patch, true),
            ]
        } + [
            (303, .get, .get, false), (303, .head, .head, false), (303, .post, .get, false), (303, .put, .get, false),
            (303, .delete, .get, false),
        ]

    @Test("keep or change method and body as RFC 9110 says", arguments: methods)
    func methodTable(status: Int, method: HTTPMethod, expected: HTTPMethod, keepsBody: Bool) async throws {
        let headers: Headers = ["Content-Type": "text/plain", "X-Own": "1"]
        let second = try await follow(try request(method, headers: headers), status: status, to: "/z")
        #expect(second.method == expected)
        #expect((second.body.data == Data("body".utf8)) == keepsBody)
        #expect(second.headers["X-Own"] == "1")
        if method != expected { #expect(!second.headers.contains("Content-Type")) }
    }

    @Test(
        "resolve the target as RFC 3986 says, also inside of a Unix domain socket",
        arguments: [
            ("next", "http://a.test/x/next"), ("/next", "http://a.test/next"), ("?p=2", "http://a.test/x/y?p=2"),
            ("../up", "http://a.test/up"), ("./same/./a/../b", "http://a.test/x/same/b"),
            ("//b.test/q", "http://b.test/q"),
            ("https://c.test", "https://c.test"), ("http://a.test:8080/p", "http://a.test:8080/p"),
            ("/n#frag", "http://a.test/n#frag"), ("/caf\u{E9}", "http://a.test/caf%C3%A9"),
            ("/z", "http+unix://%2Frun%2Fa.sock/z"), ("?q", "http+unix://%2Frun%2Fa.sock/x/y?q"),
            ("http+unix://%2frun%2Fa.sock/z", "http+unix://%2frun%2Fa.sock/z"),
        ]
    )
    func resolution(location: String, expected: String) async throws {
        let origin = expected.hasPrefix("http+unix:") ? "http+unix://%2Frun%2Fa.sock" : "http://a.test"
        let followed = try await follow(request(.get, "\(origin)/x/y"), status: 302, to: location)
        #expect(followed.url.absoluteString == expected)
    }

    @Test(
        "a same-origin target without a fragment inherits the request's (RFC 9110, 10.2.2)",
        arguments: [
            ("/z", "http://a.test/z#part%201"), ("/z#own", "http://a.test/z#own"), ("/z#", "http://a.test/z#"),
            ("http://a.test:80/z?q=1", "http://a.test:80/z?q=1#part%201"),
            ("http://b.test/z?q=1", "http://b.test/z?q=1"),
        ]
    )
    func fragment(location: String, expected: String) async throws {
        let request = try request(.get, "http://a.test/x#part%201")
        #expect(try await follow(request, status: 302, to: location).url.absoluteString == expected)
    }

    @Test(
        "drop credentials on another origin, and only there",
        arguments: [
            ("http://a.test/other", true), ("http://A.TEST:80/other", true), ("http://b.test/", false),
            ("http://a%2Etest/other", true), ("http://a.test./other", true), ("http://%61.test:080/", true),
            ("https://a.test/", false), ("http://a.test:81/", false), ("http://sub.a.test/", false),
        ]
    )
    func credentials(location: String, keeps: Bool) async throws {
        let headers: Headers = ["authorization": "Bearer t", "Cookie": "c=1", "Proxy-Authorization": "p", "X-Own": "1"]
        let second = try await follow(try request(.get, headers: headers), status: 302, to: location)

        for name in ["Authorization", "Cookie", "Proxy-Authorization"] {
            #expect(second.headers.contains(name) == keeps)
        }
        #expect(second.headers["X-Own"] == "1")
    }

    @Test(
        "are refused if following would be wrong",
        arguments: [
            ("https://a.test/x", "http://a.test/y"), ("http://a.test/x", "ftp://a.test/y"),
            ("http://a.test/x", "javascript:alert(1)"), ("http://a.test/x", "http://"),
            ("http://a.test/x", "ws://a.test/y"), ("http://a.test/x", "http://1.2.3.256/"),
            ("http://a.test/x", "http://a%20b.test/"),
        ]
    )
    func refusals(from: String, to location: String) async throws {
        #expect(try await refusal(of: request(.get, from), to: location)?.status == 302)
    }

    @Test(
        "of a WebSocket's handshake may say ws and wss, which are http and https",
        arguments: [
            ("ws://a.test/z?q", "http://a.test/z?q"), ("wss://b.test/z", "https://b.test/z"), ("/z", "http://a.test/z"),
            ("WSS://a.test/", "https://a.test/"),
        ]
    )
    func handshake(location: String, expected: String) async throws {
        var request = try request(.get)
        request.delivery = .duplex
        #expect(try await follow(request, status: 307, to: location).url.absoluteString == expected)
    }

    @Test("of a WebSocket's handshake over TLS does not leave it")
    func handshakeOverTLS() async throws {
        var request = try request(.get, "https://a.test/x")
        request.delivery = .duplex
        _ = await refusal(of: request, status: 307, to: "ws://a.test/z")
    }

    @Test("are refused if the body is needed again and cannot be replayed")
    func oneShotBody() async throws {
        var request = try request(.post)
        request.body = .stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        #expect(await refusal(of: request, status: 307, to: "/again")?.message.contains("replayed") == true)
    }

    @Test("end after the limit", arguments: [1, 10])
    func limit(limit: Int) async throws {
        let transport = ClosureTransport { request in
            requests.record(request)
            return .init(status: 302, headers: ["Location": "/again"], url: request.url)
        }
        let chain =
            UrlChainsBuilder<String>().set(transport: transport).set(redirectLimit: limit)
            .route(.get, "http://a.test/").build() as Chain<Void, Void>
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .tooManyRedirects)
        #expect(requests.values.count == limit + 1)
    }

    @Test(
        "are responses if the limit is zero, if there is no target, and for other statuses",
        arguments: [300, 304, 305, 306, 399]
    )
    func notFollowed(status: Int) async throws {
        let node = RedirectNode(next: TransportNode(transport(status: status, to: "/z")))
        #expect(try await node.process(try request(.get), context: RequestContext()).status == status)

        let off = RedirectNode(
            next: TransportNode(ClosureTransport(status: 302, headers: ["Location": "/z"])),
            limit: 0
        )
        #expect(try await off.process(try request(.get), context: RequestContext()).status == 302)

        let nowhere = RedirectNode(next: TransportNode(ClosureTransport(status: 302)))
        #expect(try await nowhere.process(try request(.get), context: RequestContext()).status == 302)
    }

    @Test(
        "neither leave nor enter a Unix domain socket, nor change to another",
        arguments: [
            ("http+unix://%2Frun%2Fa.sock/x", "http://localhost/x", "leave"),
            ("http+unix://%2Frun%2Fa.sock/x", "http+unix://%2Frun%2FA.sock/x", "leave"),
            ("http+unix://%2Frun%2Fa.sock/x", "https+unix://%2Frun%2Fa.sock/x", "leave"),
            ("http://localhost/x", "http+unix://%2Frun%2Fdocker.sock/x", "enter"),
            ("https://localhost/x", "HTTPS+unix://%2Frun%2Fdocker.sock/x", "enter"),
            ("http://localhost/x", "http+unix://docker.sock/x", "enter"),
        ]
    )
    func socketBounds(url: String, location: String, verb: String) async throws {
        let error = try await refusal(of: request(.get, url), status: 307, to: location)
        #expect(error?.message.contains("would \(verb)") == true, "\(error?.message ?? "")")
    }
}
