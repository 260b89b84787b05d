import CoreNetKitHTTP
import TestPace

@Suite("An origin", .paced)
struct OriginTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// The host and the port that the one reader of an authority finds.
    private func parts(_ text: String) -> String? {
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            Origin.Parts(bytes).map { parts in
                let host = String(decoding: UnsafeBufferPointer(rebasing: bytes[parts.host]), as: UTF8.self)
                return "\(host) \(parts.port) \(parts.end)"
            }
        }
    }

    @Test(
        "is read from the text between the slashes and the path, query or fragment",
        arguments: [
            ("http://a.test", "a.test 80 13"), ("https://a.test/x", "a.test 443 14"),
            ("HTTP://A.test?x", "A.test 80 13"), ("https://a.test#x", "a.test 443 14"),
            ("http://a.test:/", "a.test 80 14"), ("http://a.test:8080/", "a.test 8080 18"),
            ("http://u:p@a.test:81/", "a.test 81 20"), ("http://u@v@a.test/", "a.test 80 17"),
            ("http://[::1]:82/", "[::1] 82 15"), ("http://[::1]/", "[::1] 80 12"),
            ("http://a.test/@b.test", "a.test 80 13"), ("http://a.test?@b.test", "a.test 80 13"),
            ("http://a.test/\\x", "a.test 80 13"),
        ]
    )
    func authority(url: String, expected: String) { #expect(parts(url) == expected) }

    @Test(
        "without a host, with another scheme, an invalid port or a backslash in the authority there are no parts",
        arguments: [
            // Some take it for a slash, others for a part of the host.
            "http://a.test\\@b.test/", "http://a.test\\", "https://\\a.test/", "http://u\\:p@a.test/",
            "http://a.test:80\\/",
            "", "http://", "http:///x", "http://:80/", "http://u@/", "ftp://a.test/", "//a.test/", "/x", "httpx://a",
            "http://a.test:x/", "http://a.test:-1/", "http://a.test:8 /", "http://a.test:8:9/", "http://a.test:+8/",
        ]
    )
    func refused(url: String) { #expect(parts(url) == nil) }

    @Test("a port is a number up to 65535; a larger one, however large, is invalid and never another port")
    func ports() throws {
        #expect(parts("http://a.test:65535/") == "a.test 65535 19")
        #expect(parts("http://a.test:0080/") == "a.test 80 18")
        for port in ["65536", "65616", "99999", "4294967376", "18446744073709551696", "100000000000000000000000000"] {
            #expect(parts("http://a.test:\(port)/") == nil)
            let url = try self.url("http://a.test:\(port)/")
            #expect(Origin(url) != Origin(try self.url("http://a.test/")))
            #expect(!Origin.isFound(url, in: [Origin(try self.url("http://a.test/"))]))
        }
    }

    @Test("ignores the case of scheme and host, the path, and an explicit default port")
    func same() throws {
        let origin = Origin(try url("https://a.test/"))
        for text in ["HTTPS://A.TEST", "https://a.test:443/x?y#z", "https://u:p@a.test", "https://a.test:"] {
            #expect(Origin(try url(text)) == origin)
            #expect(Origin.isFound(try url(text), in: [origin]))
        }
        for text in [
            "http://a.test", "https://a.test:444", "https://b.test", "https://a.test.b", "https://a.tes", "ws://a.test",
        ] {
            #expect(Origin(try url(text)) != origin)
            #expect(!Origin.isFound(try url(text), in: [origin]))
        }
        #expect(!Origin.isFound(try url("https://a.test"), in: []))
    }

    @Test(
        "is that of a host, whatever its spelling",
        arguments: [
            ("http://127.0.0.1:8080", "http://0x7f.1:8080/x"), ("https://localhost", "https://loc%61lhost/"),
            ("https://a.test", "https://A.test./"), ("http://[::1]", "http://[0:0::1]:80/"),
            ("http://a.test:81", "http://a.test:0081/"),
        ]
    )
    func spelled(_ normal: String, _ other: String) throws {
        let origin = Origin(try url(normal))
        #expect(Origin(try url(other)) == origin && origin.description == normal)
        #expect(Origin.isFound(try url(other), in: [origin]))
    }

    @Test("of a host without a normal form is no other's, and such a request is refused")
    func nowhere() throws {
        for host in ["1.2.3.256", "a%20b", "a%2fb", "a%00.test", "99999999999"] {
            let url = try url("http://\(host)/")
            #expect(Origin(text: url.absoluteString) == nil && Origin(url).host == host)
            let error = #expect(throws: TransportError.self) { try TransportRequest(url: url).validate() }
            #expect(error?.code == .invalidRequest && error?.message == HostName.missing)
        }
    }

    @Test("is found among many as among few")
    func many() throws {
        var origins = Set<Origin>()
        for number in 0..<20 {
            origins.insert(Origin(try url("https://h\(number).test")))
            #expect(Origin.isFound(try url("https://H\(number).test/x"), in: origins))
            #expect(!Origin.isFound(try url("http://h\(number).test/x"), in: origins))
            #expect(!Origin.isFound(try url("https://h\(number + 1).test/x"), in: origins))
        }
    }

    @Test("describes itself without the scheme's default port")
    func text() throws {
        #expect(Origin(try url("http://A.test/x")).description == "http://a.test")
        #expect(Origin(try url("https://a.test:443")).description == "https://a.test")
        #expect(Origin(try url("http://a.test:443")).description == "http://a.test:443")
        #expect(Origin(try url("https://a.test:80")).description == "https://a.test:80")
        #expect(Origin(try url("https://a.test")).isSecure)
        #expect(!Origin(try url("http://a.test")).isSecure)
    }
}

@Suite("A URL of a Unix domain socket", .paced)
struct UnixSocketTests {
    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test(
        "names a path by its authority, ignoring the case of the scheme and the escapes",
        arguments: [
            ("http+unix://%2Frun%2Fapp.sock", "/run/app.sock", 29),
            ("http+unix://%2frun%2fapp.sock/x/y", "/run/app.sock", 29),
            ("HTTP+UNIX://%2FRun%2FApp.sock?q", "/Run/App.sock", 29),
            ("https+unix://%2Ftmp%2Fa%20b%3A1%40c#x", "/tmp/a b:1@c", 35),
        ]
    )
    func named(text: String, path: String, end: Int) throws {
        let socket = try #require(UnixSocket(text: text))
        #expect(socket.path == path)
        #expect(socket.end == end)
        #expect(socket.isSecure == text.lowercased().hasPrefix("https"))
    }

    @Test(
        "is refused without an absolute path, with a port or user info, or if it is too long for a socket",
        arguments: [
            "http+unix://", "http+unix://run.sock/", "http+unix://%2F", "http+unix://%2Frun:80/",
            "http+unix://u@%2Frun/",
            "http+unix://%2Frun%0A/", "http+unix://%2Frun%00/", "http+unix:///run/app.sock", "http+unix://%2Fr%zz",
            "http+unix://%2F\(String(repeating: "a", count: 107))/", "http+unix://%2Frun\\x", "unix://%2Frun",
        ]
    )
    func refused(text: String) throws {
        #expect(UnixSocket(text: text) == nil)
        guard let url = URL(string: text), UnixSocket.isNamed(in: text) else { return }
        #expect(throws: TransportError.self) { try TransportRequest(url: url).validate() }
    }

    @Test("is one origin however it is escaped, and another one in another case, over TLS, or on the network")
    func origin() throws {
        let origin = Origin(try url("http+unix://%2Frun%2FApp.sock/x"))
        #expect(origin.description == "http+unix://%2Frun%2FApp.sock")
        #expect(Origin(try url("HTTP+unix://%2frun%2fApp.sock/y?z")) == origin)
        for other in ["http+unix://%2Frun%2Fapp.sock/", "https+unix://%2Frun%2FApp.sock/", "http://localhost/"] {
            #expect(Origin(try url(other)) != origin)
        }
        #expect(Origin(try url("https+unix://%2Frun%2Fa/")).isSecure)
        #expect(!origin.isSecure)
    }

    @Test("needs the capability, and says so if a transport lacks it")
    func capability() throws {
        let request = TransportRequest(url: try url("http+unix://%2Frun%2Fapp.sock/x"))
        try request.validate()
        try request.validate(for: .unixSockets)
        let error = #expect(throws: TransportError.self) { try request.validate(for: []) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("unixSockets") == true)
    }

    @Test("is shown without the secrets of its path, its query and the surrounding text")
    func redaction() throws {
        let text = "http+unix://%2Frun%2Ftoken%3Dcanary1%2Fapp.sock/a;password=canary2?api_key=canary3#canary4"
        let shown = Redaction.url(try url(text))
        #expect(!shown.contains("canary"))
        #expect(shown.hasPrefix("http+unix://%2Frun%2Ftoken%3D"))
        #expect(shown.contains("%2Fapp.sock/a;password="))
        let plain = "http+unix://%2Frun%2Fapp.sock/v1/info"
        #expect(Redaction.url(try url(plain)) == plain)
        #expect(Redaction.hasSecrets(url: text, by: .standard))
    }
}
