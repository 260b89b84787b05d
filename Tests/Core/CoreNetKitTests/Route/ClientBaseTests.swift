import TestSupport

@Suite("The base of a client", .timeLimit(.minutes(10)), .paced)
struct ClientBaseTests {
    private enum Shop: PathRoute {
        case users
        case user(String)

        var path: Path {
            switch self {
            case .users: "/users"
            case .user(let id): "/users/\(id)"
            }
        }
    }

    let requests = Recorder<TransportRequest>()

    /// The only client whose base is an argument: of type `String`, as a literal would be.
    func client(_ base: String?) -> Client { Client(base: base, transport: requests.transport()) }

    /// The URL that a call sends.
    func url(_ builder: UrlChainsBuilder<some UrlRouteProvider & Sendable>) async throws -> String? {
        try await builder.build().process()
        return requests.values.last?.url.absoluteString
    }

    /// The error of a call that sends nothing.
    func refusal(_ builder: UrlChainsBuilder<some UrlRouteProvider & Sendable>) async -> NetworkError? {
        let error = await #expect(throws: NetworkError.self) { try await builder.build().process() }
        #expect(error?.code == .invalidURL)
        #expect(requests.values.isEmpty)
        return error
    }

    // RouteTests has all forms of a path.
    static let joined: [(base: String, path: Client.Path, url: String)] = [
        ("http://h", "a", "http://h/a"), ("http://h/api/", "/a/", "http://h/api/a/"),
        ("http://h/api", "", "http://h/api"),
        ("http://h/api?key=1", "/users?page=2", "http://h/api/users?key=1&page=2"),
        ("http://h/api", "/a b/é/50%/%2F", "http://h/api/a%20b/%C3%A9/50%25/%2F"),
        ("http://h", "items:search", "http://h/items:search"),
        ("http://h/api", "//evil.example/x", "http://h/api/evil.example/x"),
        ("http+unix://%2Frun%2Fapp.sock", "/a", "http+unix://%2Frun%2Fapp.sock/a"),
    ]

    @Test("is joined with a path as a URL is with text", arguments: joined)
    func joins(base: String, path: Client.Path, url: String) async throws {
        #expect(try await self.url(client(base).route(.get, path)) == url)
        #expect(try await self.url(client(nil).base(base).route(.get, path)) == url)
    }

    @Test(
        "a value in a path is one segment of it",
        arguments: [
            ("42", "42"), ("a/b", "a%2Fb"), ("../../admin", "..%2F..%2Fadmin"), ("...", "..."),
            ("%2e%2e", "%252e%252e"),
            ("50%", "50%25"), (" ", "%20"), ("é", "%C3%A9"), ("a?b#c", "a%3Fb%23c"), ("https://h", "https%3A%2F%2Fh"),
        ]
    )
    func segments(value: String, escaped: String) async throws {
        let client = client("http://h/api")
        #expect(try await url(client.route(.get, "/users/\(value)/photos")) == "http://h/api/users/\(escaped)/photos")
        #expect(try await url(client.route(.get, "\(segment: value)")) == "http://h/api/\(escaped)")
        #expect(try await url(client.route(.get, Shop.user(value))) == "http://h/api/users/\(escaped)")
    }

    @Test("a value that names another resource fails the call", arguments: ["", ".", "..", "a\r\nX-Evil: 1", "\u{0}"])
    func badSegments(value: String) async {
        let error = await refusal(client("http://h").route(.get, "/users/\(value)/photos/\(7)"))
        #expect(error?.cause is UrlRouteError)
    }

    @Test(
        "a value after a question mark is one name or value of the query",
        arguments: [
            ("", ""), ("..", ".."), ("a&b=c", "a%26b%3Dc"), ("a/b?c#d", "a%2Fb%3Fc%23d"), ("a\nb+", "a%0Ab%2B"),
        ]
    )
    func queryValues(value: String, escaped: String) async throws {
        let path: Client.Path = "/search?q=\(value)&\(value)=1"
        #expect(try await url(client("http://h").route(.get, path)) == "http://h/search?q=\(escaped)&\(escaped)=1")
    }

    @Test(
        "text with `path:` is several segments, each escaped",
        arguments: [
            ("a/b/c", "a/b/c"), ("a", "a"), ("a b/é?#/%2F", "a%20b/%C3%A9%3F%23/%252F"), ("a//b/", "a//b/"),
            ("/a", "/a"), (".../..a", ".../..a"),
        ]
    )
    func paths(value: String, escaped: String) async throws {
        let client = client("http://h/api")
        #expect(try await url(client.route(.get, "/x/\(path: value)?v=1")) == "http://h/api/x/\(escaped)?v=1")
        let query: Client.Path = "/x?q=\(path: value)"
        #expect(query == "/x?q=\(value)")
    }

    @Test(
        "a path with a segment that names another resource fails the call",
        arguments: ["", ".", "a/../b", "a/b/.", "a/\n"]
    )
    func badPaths(value: String) async {
        let error = await refusal(client("http://h").route(.get, "/x/\(path: value)"))
        #expect(error?.cause is UrlRouteError)
    }

    @Test("takes numbers, UUIDs and parts of texts")
    func values() throws {
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        #expect("/\(-7)/\(UInt8.max)/\(52.5)/\(1e300)" as Client.Path == "/-7/255/52.5/1e%2B300")
        #expect("/\(id)" as Client.Path == "/E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect("/\("a b c".prefix(3))" as Client.Path == "/a%20b")
    }

    @Test("text of a variable is used as it is, below the base")
    func rawText() async throws {
        let client = client("http://h/api")
        #expect(try await url(client.route(.get, Client.Path(raw: "/a%2Fb/c d?x=1"))) == "http://h/api/a%2Fb/c%20d?x=1")
        _ = await #expect(throws: NetworkError.self) {
            try await client.route(.get, Client.Path(raw: "/a\r\nX-Evil: 1")).build().process()
        }
        #expect(requests.values.count == 1)
    }

    @Test("a builder replaces and removes it for itself")
    func builders() async throws {
        let builder = client("http://h/api").route(.get, Shop.users)
        #expect(try await url(builder.base("http://other/")) == "http://other/users")
        #expect(try await url(builder) == "http://h/api/users")
        _ = await #expect(throws: NetworkError.self) { try await builder.base(nil).build().process() }
    }

    @Test("is a URL, its text or a route")
    func kinds() async throws {
        let base = try #require(URL(string: "http://h/api"))
        for client in [client(nil).base(base), client(nil).base(URL(string: "http://h/api")), client("http://h/api")] {
            #expect(try await url(client.route(.get, "/a")) == "http://h/api/a")
        }
        #expect(try Shop.user("a b").url(relativeTo: base).absoluteString == "http://h/api/users/a%20b")
    }

    @Test("an absolute route ignores it")
    func absoluteRoutes() async throws {
        struct Own: UrlRouteProvider {
            func url() throws -> URL { try URL(string: "http://own") + "/c" }
        }
        let client = client("http://h/api")
        let link = try #require(URL(string: "http://other/a"))
        #expect(try await url(UrlChainsBuilder(client: client).route(.get, link)) == "http://other/a")
        #expect(try await url(UrlChainsBuilder(client: client).route(.get, "http://other/b")) == "http://other/b")
        #expect(try await url(UrlChainsBuilder(client: client).route(.get, Own())) == "http://own/c")
    }

    @Test("a path without one says what to do, without its query")
    func missing() async {
        let error = await refusal(client(nil).route(.get, "/users/\(7)?token=\("secret")"))
        #expect(
            (error?.cause as? UrlRouteError)?.description
                == #"no URL can be built: the path "/users/7" has no base: set it with Client(base:) or base(_:)"#
        )
        #expect(error?.node.description == "RequestNode")
        #expect(throws: UrlRouteError.self) { try Shop.users.url() }
    }

    @Test("a URL in place of a path says what to do")
    func urlAsPath() async {
        let error = await refusal(client("http://h").route(.get, "https://user:secret@other/a?token=secret"))
        #expect(
            (error?.cause as? UrlRouteError)?.description
                == #"no URL can be built: "https://other/a" is a URL and no path: "#
                + "give it to UrlChainsBuilder(client:).route(_:_:)"
        )
    }

    @Test("a path in place of a URL says what to do")
    func pathAsURL() async {
        let error = await refusal(UrlChainsBuilder(client: client("http://h")).route(.get, "/users"))
        #expect(error?.message.hasSuffix("for a path below a client's base, write client.route(_:_:)") == true)
    }

    @Test(
        "that is no absolute http or https URL fails each call",
        arguments: ["", "h/api", "/api", "ftp://h", "http://"]
    )
    func invalid(base: String) async {
        let client = client(base)
        #expect(await refusal(client.route(.get, "/a"))?.node.description == "base")
        #expect(await refusal(UrlChainsBuilder(client: client).route(.get, "http://other"))?.node.description == "base")
        let url = URL(string: "/api")
        _ = await refusal(client.route(.get, "/a").base(url))
    }

    @Test("is below the path of a socket, too, whose handshake has the scheme http")
    func sockets() async throws {
        #expect(try await url(client("https://h/api").route(.get, "/feed/\(7)").toSocket) == "https://h/api/feed/7")
    }
}
