#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import Testing

    @Suite("What a transport says it tells a server about the caller", .timeLimit(.minutes(10)), .paced)
    struct ClientIdentityTests {
        private typealias Identity = CurlTransport.Configuration.TLS.Identity

        private static func pem(_ text: String) -> Identity {
            .pem(certificate: Data(text.utf8), key: Data("key".utf8), password: "secret")
        }

        private static func digest(_ text: String) -> String { Hex.encode(SHA256.digest(Array(text.utf8))) }

        private func told(
            _ url: String,
            _ identity: CurlTransport.Configuration.TLS.Identity? = nil,
            hosts: [String: CurlTransport.Configuration.TLS.Identity] = [:]
        ) throws -> String? {
            var configuration = CurlTransport.Configuration()
            configuration.tls.identity = identity
            for (name, identity) in hosts {
                var host = CurlTransport.Configuration.Host()
                host.identity = identity
                configuration.hosts[name] = host
            }
            let transport = CurlTransport(configuration: configuration)
            return transport.clientIdentity(for: try #require(URL(string: url)))
        }

        @Test("it is the digest of the certificate for the host, and empty without one or without TLS")
        func digests() throws {
            let (alice, bob) = (Self.pem("alice"), Self.pem("bob"))
            #expect(try told("https://a.test/") == "")
            #expect(try told("https://a.test/", alice) == Self.digest("alice"))
            #expect(try told("http://a.test/", alice) == "")
            #expect(try told("https://a.test/x", alice, hosts: ["a.test": bob]) == Self.digest("bob"))
            #expect(try told("https://b.test/x", alice, hosts: ["a.test": bob]) == Self.digest("alice"))
            #expect(try told("https://b.test/x", hosts: ["a.test": bob]) == "")
        }

        @Test("a file's certificate is that of the same bytes, as it is now; one that cannot be read is unknown")
        func files() throws {
            let path = NSTemporaryDirectory() + "certificate-\(UUID().uuidString).pem"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let identity = Identity.files(certificate: path, key: "/nowhere")
            #expect(try told("https://a.test/", identity) == nil)
            for name in ["alice", "bob"] {
                try Data(name.utf8).write(to: URL(filePath: path))
                #expect(try told("https://a.test/", identity) == Self.digest(name))
            }
        }
    }
#endif
