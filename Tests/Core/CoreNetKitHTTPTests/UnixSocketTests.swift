import CoreNetKitHTTP
import Foundation
import TestPace
import Testing

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
