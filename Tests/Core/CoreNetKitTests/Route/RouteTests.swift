import TestSupport

@Suite("Routes", .timeLimit(.minutes(10)), .paced)
struct RouteTests {
    @Test(
        "joins base and path with exactly one slash, and keeps query and fragment",
        arguments: [
            ("http://h", "/a", "http://h/a"),
            ("http://h/", "a", "http://h/a"),
            ("http://h/", "/a", "http://h/a"),
            ("http://h", "a", "http://h/a"),
            ("http://h/api", "users/", "http://h/api/users/"),
            ("http://h/api//", "//users//1", "http://h/api/users//1"),
            ("http://h/api", "/", "http://h/api/"),
            ("http://h/api", "", "http://h/api"),
            ("http://h/api/", "", "http://h/api/"),
            ("http://h:8080/api", "/a", "http://h:8080/api/a"),
            ("http://[::1]:80", "a", "http://[::1]:80/a"),
            ("http://h/api", "/a?x=1", "http://h/api/a?x=1"),
            ("http://h/api", "?x=1", "http://h/api?x=1"),
            ("http://h", "?x=1", "http://h?x=1"),
            ("http://h/api?key=1", "/a?x=2", "http://h/api/a?key=1&x=2"),
            ("http://h/api?key=1", "/a", "http://h/api/a?key=1"),
            ("http://h/api?", "/a?x=2", "http://h/api/a?x=2"),
            ("http://h/api#top", "/a", "http://h/api/a#top"),
            ("http://h/api#top", "/a#end", "http://h/api/a#end"),
            ("http://h/api", "/a?x=1#f?g", "http://h/api/a?x=1#f?g"),
            ("http://h/api", "/a#f?x", "http://h/api/a#f?x"),
            ("http://h/a%2Fb", "/c%2Fd", "http://h/a%2Fb/c%2Fd"),
            ("http://h", "/a b/é?q=a b&[]=ü", "http://h/a%20b/%C3%A9?q=a%20b&%5B%5D=%C3%BC"),
            ("http://h", "/50%/x", "http://h/50%25/x"),
            ("http://h", "//evil.example/x", "http://h/evil.example/x"),
            ("http://h", "@evil.example", "http://h/@evil.example"),
            ("http://h", ":8080/x", "http://h/:8080/x"),
            ("http://h/a", "../b", "http://h/a/../b"),
            ("http://h", "/x\\y", "http://h/x%5Cy"),
            ("file:///", "a", "file:///a"),
        ]
    )
    func joining(base: String, path: String, expected: String) throws {
        #expect(try (URL(string: base) + path).absoluteString == expected)
    }

    @Test("a nil base is an error that says so")
    func nilBase() {
        let error = #expect(throws: UrlRouteError.self) { try URL(string: "") + "/a" }
        #expect(error?.description == "no URL can be built: the base URL is nil, so its text was not a URL")
    }

    @Test(
        "refuses control characters, which could start another header, and names them",
        arguments: [
            ("/a\r\nX-Evil: 1", "CR"), ("/a\nb", "LF"), ("/a\u{0}", "NUL"), ("?q=\r", "CR"), ("#\n", "LF"),
            ("/a\tb", "a control character (0x09)"), ("/a\u{7F}", "a control character (0x7f)"),
        ]
    )
    func controls(path: String, name: String) {
        let joined = #expect(throws: UrlRouteError.self) { try URL(string: "http://h") + path }
        #expect(joined?.description.contains("the route has \(name) in it") == true)
        let text = #expect(throws: UrlRouteError.self) { try ("http://h" + path).url() }
        #expect(text?.description.contains("the route has \(name) in it") == true)
        #expect(throws: UrlRouteError.self) { try PercentEncoding.segment(path) }
    }

    @Test(
        "text is a route if it is an absolute http or https URL",
        arguments: [
            ("http://example.com", "http://example.com"),
            ("HTTPS://Example.com:8443/a b?q=ü#x", "HTTPS://Example.com:8443/a%20b?q=%C3%BC#x"),
            ("http://127.0.0.1:80/?a=b&c[]=d", "http://127.0.0.1:80/?a=b&c%5B%5D=d"),
            ("http://[::1]/", "http://[::1]/"), ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]/"),
            ("http://h?x", "http://h?x"),
            ("http://h/a%2Fb%", "http://h/a%2Fb%25"),
        ]
    )
    func textRoutes(text: String, expected: String) throws {
        #expect(try text.url().absoluteString == expected)
    }

    @Test(
        "refuses text that is not an absolute http or https URL",
        arguments: [
            "", " ", "/a", "a", "example.com/a", "//h/a", "http:", "http://", "http:///a", "http:h", "http://:80/",
            "ftp://h/a", "file:///a", "javascript:alert(1)", " http://h", "http://a b/", "http://h:x/", "http://a%20b/",
            "http://h\\x", "http://пример.рф/", "http://[::1/", "http://?a", "http://#a", "1http://h", "é://h",
        ]
    )
    func badTextRoutes(text: String) { #expect(throws: UrlRouteError.self) { try text.url() } }

    @Test("its errors have no user info, query, fragment or line break")
    func safeErrors() {
        let error = #expect(throws: UrlRouteError.self) { try "http://u:secret@h:x/p?secret#secret".url() }
        #expect(
            error?.description == "no URL can be built: \"http://h:x/p\" is not a valid URL; check its host and port"
        )
    }

    @Test(
        "escapes untrusted text as one path segment",
        arguments: [
            ("42", "42"), ("a/b", "a%2Fb"), ("a?b#c", "a%3Fb%23c"), ("50%", "50%25"), ("%2e%2e", "%252e%252e"),
            ("../../admin", "..%2F..%2Fadmin"), ("a\\b", "a%5Cb"), ("..;", "..%3B"), ("...", "..."), (" ", "%20"),
            ("é", "%C3%A9"), ("a+b@c", "a%2Bb%40c"),
        ]
    )
    func segments(text: String, expected: String) throws {
        #expect(try "/users/\(segment: text)" == "/users/" + expected)
        let url = try URL(string: "http://h") + "/users/\(segment: text)/photos"
        #expect(url.absoluteString == "http://h/users/\(expected)/photos")
        #expect(url.path(percentEncoded: true).split(separator: "/").count == 3)
    }

    @Test("refuses text that no escape keeps in its place", arguments: ["", ".", "..", "a\r\nb", "\u{0}"])
    func badSegments(text: String) {
        #expect(throws: UrlRouteError.self) { try "/users/\(segment: text)" }
    }

    @Test(
        "adds our items after the route's own query, which is unchanged",
        arguments: [
            ("http://h/a", "x=1", "http://h/a?x=1"),
            ("http://h", "x=1", "http://h?x=1"),
            ("http://h/a?b=c", "x=1", "http://h/a?b=c&x=1"),
            ("http://h/a?z=%2B+%5b&z", "a=1", "http://h/a?z=%2B+%5b&z&a=1"),
            ("http://h/a?b=c&", "x=1", "http://h/a?b=c&x=1"),
            ("http://h/a?", "x=1", "http://h/a?x=1"),
            ("http://h/a?", "", "http://h/a?"),
            ("http://h/a", "", "http://h/a"),
            ("http://h/a%2Fb?c#d?e", "x=%20", "http://h/a%2Fb?c&x=%20#d?e"),
        ]
    )
    func merging(url: String, query: String, expected: String) throws {
        let url = try #require(URL(string: url))
        #expect(try url.appending(query: query).absoluteString == expected)
    }

    @Test("a Unix domain socket is a base like any other")
    func socket() throws {
        let base = try URL.unixSocket("/run/My app.sock")
        #expect(base.absoluteString == "http+unix://%2Frun%2FMy%20app.sock")
        #expect(try (base + "/v1/a b").absoluteString == "http+unix://%2Frun%2FMy%20app.sock/v1/a%20b")
        #expect(try URL.unixSocket("/run/a", isSecure: true).absoluteString == "https+unix://%2Frun%2Fa")
        #expect(try "http+unix://%2Frun%2Fa/x y".url().absoluteString == "http+unix://%2Frun%2Fa/x%20y")
        for path in ["run/a", "", "/", "/a\n", "/" + String(repeating: "a", count: 107)] {
            #expect(throws: UrlRouteError.self) { try URL.unixSocket(path) }
        }
        for text in ["http+unix://run/x", "http+unix:///run/x", "ftp+unix://%2Frun/x"] {
            #expect(throws: UrlRouteError.self) { try text.url() }
        }
    }
}
