#if os(Linux)
    import TestSupport
    import CoreNetKitCache
    import CoreNetKitCurl
    import TestPrograms

    @Suite(
        "Caching: callers who differ by their client certificate, over TLS",
        .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct ClientCertificateCacheTests {
        private typealias Identity = CurlTransport.Configuration.TLS.Identity

        private let certificates: TestCertificates
        private let nginx: NginxServer

        init() throws {
            certificates = try TestCertificates.shared.get()
            nginx = try NginxServer(
                """
                server { listen unix:DIR/client ssl http2; ssl_client_certificate DIR/ca.pem; ssl_verify_client optional;
                         location / { add_header Cache-Control max-age=600; return 200 "$ssl_client_serial $msec"; } }
                """
            )
        }

        private func client(_ cache: ResponseCache, _ identity: Identity?) -> Client {
            var configuration = CurlTransport.Configuration()
            configuration.unixSocket = nginx.path("client")
            configuration.tls.authorities = .pem(certificates.data("ca.pem"))
            configuration.tls.identity = identity
            return Client().set(transport: CurlTransport(configuration: configuration)).cache(cache)
        }

        private func identity(_ name: String, asFiles: Bool) -> Identity {
            asFiles
                ? .files(certificate: nginx.path("\(name).pem"), key: nginx.path("\(name).key"))
                : .pem(certificate: certificates.data("\(name).pem"), key: certificates.data("\(name).key"))
        }

        @Test(
            "each gets their own response, and their own again, from memory and from a folder that is opened anew",
            arguments: [false, true],
            [false, true]
        )
        func separate(onDisk: Bool, asFiles: Bool) async throws {
            let folder = nginx.directory.appending(path: "cache")
            let opened = { onDisk ? ResponseCache(disk: .folder(folder)) : ResponseCache() }
            var cache = opened()
            let identities = [identity("good", asFiles: asFiles), identity("client", asFiles: asFiles), nil]
            var first: [String] = []
            for identity in identities { first.append(try await client(cache, identity).text("https://good.test/me")) }
            let serials = first.map { $0.split(separator: " ", omittingEmptySubsequences: false)[0] }
            #expect(Set(serials).count == 3 && serials[2].isEmpty)
            if onDisk {
                await cache.flush()
                cache = opened()
            }
            for (identity, expected) in zip(identities, first) {
                #expect(try await client(cache, identity).text("https://good.test/me") == expected)
            }
        }
    }
#endif
