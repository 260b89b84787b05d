#if os(Linux)
    import TestSupport
    import TestPrograms

    /// An nginx of one test at a loopback address of its own, for transports that know no Unix domain sockets.
    final class Nginx {
        static let isInstalled = NginxServer.isInstalled

        /// TLS with HTTP/2, an expired certificate, a wanted client certificate, HTTP/2 without TLS.
        let (good, expired, client, plain) = (44301, 44302, 44303, 44304)
        private let host: String
        private let server: NginxServer

        init() throws {
            // Nobody else listens there, so the ports need not be looked for.
            host = "127.\(Int.random(in: 1...254)).\(Int.random(in: 0...255)).\(Int.random(in: 1...254))"
            let version = #"location / { return 200 "$server_protocol"; }"#
            server = try NginxServer(
                """
                server { listen \(host):\(good) ssl http2; \(version) }
                server { listen \(host):\(expired) ssl; ssl_certificate DIR/expired.pem;
                    ssl_certificate_key DIR/expired.key; \(version) }
                server { listen \(host):\(client) ssl; ssl_client_certificate DIR/ca.pem;
                    ssl_verify_client on; \(version) }
                server { listen \(host):\(plain) http2; \(version) }
                """,
                certificates: TestCertificates(name: "IP:\(host)")
            )
        }

        func path(_ name: String) -> String { server.path(name) }

        func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

        func url(_ port: Int, scheme: String = "https") throws -> URL {
            guard let url = URL(string: "\(scheme)://\(host):\(port)/") else { throw Failed() }
            return url
        }

        private struct Failed: Error {}
    }
#endif
