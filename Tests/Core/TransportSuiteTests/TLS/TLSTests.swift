#if os(Linux)
    import TestSupport

    /// What the transports have in common (HTTP/2 from the first byte is for connections without TLS); the options of TLS are tested with CurlTransport's own suite.
    @Suite(
        "Every transport: TLS",
        .enabled(if: Nginx.isInstalled, "needs /usr/sbin/nginx and openssl"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct TLSTests {
        @Test("does not trust an authority that the system does not know, and says so", arguments: Subject.http1)
        func untrusted(_ subject: Subject) async throws {
            let nginx = try Nginx()
            for port in [nginx.good, nginx.client] {
                let error = try await failure(subject, nginx.url(port))
                #expect(error.code == .certificateUntrusted && error.phase == .tls && error.isSafeToResend)
            }
        }

        @Test("fails if the other side speaks no TLS", arguments: Subject.http1)
        func plain(_ subject: Subject) async throws {
            let nginx = try Nginx()
            let error = try await failure(subject, nginx.url(nginx.plain))
            #expect(error.code == .tlsFailed && error.phase == .tls)
        }

        private func failure(_ subject: Subject, _ url: URL) async throws -> TransportError {
            let request = TransportRequest(url: url, timeouts: Peer.patient)
            let error = await #expect(throws: TransportError.self) { try await subject.transport.send(request) }
            return try #require(error)
        }
    }
#endif
