#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: the route of an exchange")
    struct RouteTableTests {
        private static let plain = "http://good.test/"
        private static let secure = "https://good.test/"

        @Test(
            "is the usual one without a proxy; over HTTP/2 exchanges share a connection",
            arguments: [
                (plain, CurlTransport.Configuration.HTTPVersion.automatic, false), (plain, .http1, false),
                (plain, .http3, false), (plain, .http2PriorKnowledge, true), (secure, .automatic, true),
                (secure, .http1, false), (secure, .http3, true), (secure, .http2PriorKnowledge, true),
            ]
        )
        func usual(place: String, version: CurlTransport.Configuration.HTTPVersion, mayShare: Bool) throws {
            var configuration = CurlTransport.Configuration()
            configuration.httpVersion = version
            let routes = RouteTable(configuration)
            let destination = try Destination(text: place)
            #expect(try routes.route(to: destination) == .usual)
            let shares = [false, true].map { routes.mayShare(destination, isDuplex: $0) }
            #expect(shares == [mayShare, false])
        }

        @Test("a bidirectional connection goes through a tunnel of an HTTP proxy, or is refused")
        func duplex() throws {
            var configuration = CurlTransport.Configuration()
            func route(to place: String) throws -> Route {
                try RouteTable(configuration).route(to: Destination(text: place), isDuplex: true)
            }
            #expect(try route(to: Self.secure) == .usual)
            configuration.proxy = .server(url("http://proxy.test"), except: ["direct.test"])
            #expect(try route(to: Self.plain) == .tunnel(proxy: "http://proxy.test"))
            #expect(try route(to: "http://direct.test") == .direct)
            #expect(try route(to: Self.secure) == .usual)
            configuration.httpVersion = .http2PriorKnowledge
            let error = #expect(throws: TransportError.self) { try route(to: Self.secure) }
            #expect(error?.code == .unsupported)
        }

        @Test(
            "exceptions of a proxy: names with their subdomains, addresses, networks",
            arguments: [
                ("example.org", "example.org", true), ("example.org", "a.example.org", true),
                (".example.org", "example.org", true), ("example.org", "badexample.org", false),
                ("Example.ORG.", "example.org", true), ("a.test, example.org", "example.org", true),
                ("a.test example.org", "example.org", true), ("*", "any.test", true), ("", "any.test", false),
                ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.2", false), ("10.0.0.0/8", "10.9.9.9", true),
                ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/33", "10.0.0.1", false), ("::1", "[::1]", true),
                ("fe80::/10", "[fe80::1]", true), ("fe80::/10", "[fec0::1]", false), ("0.0.0.0/0", "9.9.9.9", true),
                ("127.1", "127.0.0.1", true), ("ex%61mple.org.", "example.org", true), ("0:0::1", "[::1]", true),
                ("fe80::/10", "[fe80::1%25eth0]", true),
                // The test's server has the port 8443.
                ("example.org:8443", "a.example.org", true), ("example.org:443", "example.org", false),
                ("10.0.0.1:8443", "10.0.0.1", true), ("10.0.0.1:80", "10.0.0.1", false), ("[::1]:8443", "[::1]", true),
                ("[::1]:1", "[::1]", false), ("[::1]", "[::1]", true),
            ]
        )
        func exceptions(list: String, host: String, isDirect: Bool) {
            #expect(ProxyExceptions(list).cover((host, 8443)) == isDirect)
        }

        @Test(
            "the environment's proxy: for plain HTTP only the lower-case variable, and `none` is stated explicitly",
            arguments: [
                (["http_proxy": "http://proxy.test:8080"], "proxy http://proxy.test:8080"),
                (["http_proxy": "proxy.test:8080"], "proxy http://proxy.test:8080"),
                (["all_proxy": "http://all.test"], "proxy http://all.test"),
                (["ALL_PROXY": "http://all.test"], "proxy http://all.test"),
                // A CGI program gets the request's `Proxy` field by that name.
                (["HTTP_PROXY": "http://proxy.test"], "direct"), ([:], "direct"),
                // The request is the same behind SOCKS, and libcurl finds the variable by itself.
                (["all_proxy": "socks5://socks.test"], "usual"),
                (["http_proxy": "http://proxy.test", "no_proxy": "good.test"], "direct"),
                (["http_proxy": "http://proxy.test", "NO_PROXY": "*"], "direct"),
                (["http_proxy": "http://proxy.test", "no_proxy": "bad.test"], "proxy http://proxy.test"),
            ]
        )
        func environment(variables: [String: String], way: String) {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .environment
            let found: String
            switch RouteTable(configuration, environment: { variables[$0] }).route(to: ("good.test", 80)) {
            case .usual: found = "usual"
            case .direct: found = "direct"
            case .forward(let proxy, _): found = "proxy " + proxy
            case .tunnel(let proxy): found = "tunnel " + proxy
            }
            #expect(found == way)
        }

        @Test("name and password of a proxy in the environment are checked by the rules of its kind")
        func environmentCredentials() {
            for (variables, isWrong) in [
                (["http_proxy": "http://a%3Ab:c@proxy.test"], true), (["https_proxy": "a%0A:c@proxy.test"], true),
                (["ALL_PROXY": "https://a:c%00@proxy.test"], true),
                (["all_proxy": "socks5://a%3Ab:c@proxy.test"], false),
                (["http_proxy": "http://a:b%3Ac@proxy.test"], false), ([:], false),
            ] as [([String: String], Bool)] {
                let problem = RouteTable.credentialsProblem { variables[$0] }
                #expect((problem != nil) == isWrong, "\(variables)")
            }
        }
    }
#endif
