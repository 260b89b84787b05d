#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Wire: exchanges that share a connection of HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2SharingTests {
        /// Serves streams on the first connections by `first`, and answers `ok` on all that follow.
        private func peer(_ first: @escaping @Sendable (HTTP2Peer, RawPeer.Connection) -> Void) throws -> RawPeer {
            try RawPeer { raw, connection in
                guard let peer = HTTP2Peer(connection) else { return }
                raw.note("connection")
                if connection.index == 0 { return first(peer, connection) }
                while let stream = peer.request() {
                    peer.head(200, on: stream)
                    peer.data("ok", on: stream, ends: true)
                }
            }
        }

        @Test("streams that are refused together are all sent again, whatever the method (RFC 9113, 8.7)")
        func refusedTogether() async throws {
            let peer = try peer { peer, _ in while let stream = peer.request() { peer.reset(stream, 7) } }
            let transport = CurlTransport.plainHTTP2
            let request = TransportRequest(method: .post, url: peer.url, body: .bytes(Data("abc".utf8)))
            let statuses = try await concurrently(6) { _ in try await transport.send(request).status }
            #expect(statuses.allSatisfy { $0 == 200 })
        }

        @Test("what a leaving server did not look at is sent elsewhere, also by a first connection (RFC 9113, 6.8)")
        func leaving() async throws {
            let peer = try peer { peer, connection in
                guard peer.request() != nil, peer.request() != nil, let third = peer.request() else { return }
                // The last stream that it looks at is the first one.
                peer.send(7, payload: [0, 0, 0, 1, 0, 0, 0, 0])
                peer.head(200, on: third - 4)
                peer.data("ok", on: third - 4, ends: true)
                while peer.next() != nil {}
            }
            let transport = CurlTransport.plainHTTP2
            let request = TransportRequest(method: .post, url: peer.url, body: .bytes(Data("abc".utf8)))
            let statuses = try await concurrently(3) { _ in try await transport.send(request).status }
            #expect(statuses.allSatisfy { $0 == 200 })
            #expect(peer.requests.count == 2)
        }

        @Test("a connection that has fallen silent fails the calls on it, and gets no others")
        func silent() async throws {
            let peer = try peer { peer, connection in
                guard let stream = peer.request() else { return }
                peer.head(204, on: stream, ends: true)
                while peer.request() != nil {}
            }
            let transport = CurlTransport.plainHTTP2
            #expect(try await transport.send(TransportRequest(url: peer.url)).status == 204)
            let limits = Timeouts(connect: .seconds(30), firstByte: .milliseconds(300), idle: nil, total: nil)
            let lost = TransportRequest(url: peer.url, timeouts: limits)
            let error = await transport.error(of: lost)
            #expect(error?.code == .timedOut)
            for _ in 0..<5 { #expect(try await transport.send(TransportRequest(url: peer.url)).status == 200) }
            #expect(peer.requests.count == 2)
        }

        @Test("a cancelled call resets its stream, and the connection serves the next one")
        func cancelled() async throws {
            let (asked, reset) = (LoopbackGate(), LoopbackGate())
            let peer = try peer { peer, _ in
                guard peer.request() != nil else { return }
                asked.open()
                while let frame = peer.next(), frame.kind != HTTP2Peer.Kind.reset {}
                reset.open()
                guard let stream = peer.request() else { return }
                peer.head(204, on: stream, ends: true)
                while peer.next() != nil {}
            }
            let transport = CurlTransport.plainHTTP2
            let call = transport.call(peer.url)
            try await asked.wait()
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await reset.wait()
            #expect(try await transport.send(TransportRequest(url: peer.url)).status == 204)
            #expect(peer.requests.count == 1)
        }
    }

    @Suite("Wire: many exchanges over HTTP/2 and TLS", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct HTTP2CrowdTests {
        private func transport(_ nginx: NginxServer) throws -> CurlTransport {
            try .trusting(nginx) { ($0.connectionsPerHost, $0.totalConnections) = (1000, 1000) }
        }

        @Test("500 at once need five handshakes at most, with 128 streams a connection")
        func crowd() async throws {
            let nginx = try NginxServer(
                "server { listen unix:DIR/tls ssl http2; keepalive_requests 100000; location / { return 200 ok; } }"
            )
            let transport = try transport(nginx)
            let texts = try await concurrently(500) { _ in try await transport.text(url("https://good.test/")) }
            #expect(texts.allSatisfy { $0 == "ok" })
            #expect(await transport.statistics().handshakes <= 5)
        }

        @Test("streams that nobody reads are bounded, and keep nothing from others")
        func unread() async throws {
            let server = try LoopbackServer(recording: .off) { request in
                request.path == "/small"
                    ? .text("ok") : .stream(length: 4 << 20) { $0 < 64 ? Data(count: 65536) : nil }
            }
            let nginx = try NginxServer(
                """
                server { listen unix:DIR/tls ssl http2; location / { proxy_pass http://127.0.0.1:\(server.port); } }
                """
            )
            let transport = try transport(nginx)
            let monitors = (0..<20).map { _ in ExchangeMonitor() }
            var unread: [TransportResponse] = []
            for monitor in monitors {
                var request = TransportRequest(url: url("https://good.test/large"), delivery: .stream)
                request.monitor = monitor
                unread.append(try await transport.send(request))
            }
            for _ in 0..<20 {
                #expect(try await transport.text(url("https://good.test/small")) == "ok")
            }
            // What waits for a reader, and what was on its way when it stopped.
            for monitor in monitors { #expect(monitor.state.bytesReceived <= 600 << 10) }
            #expect(await transport.statistics().connectionsCreated == 1)
            for response in unread { #expect(try await response.body.collect().count == 4 << 20) }
        }
    }

    /// A server over TLS that agrees on no protocol speaks HTTP/1.1; what it says first is judged as all that follows.
    @Suite(
        "The wire: the first exchange with a server over TLS without ALPN",
        .timeLimit(.minutes(10)),
        .paced,
        .enabled(if: TLSCutter.isInstalled)
    )
    struct UnknownOriginTests {
        @Test(
            "garbage that comes while a body is sent is not safe to resend",
            arguments: RefusedUploadTests.Kind.allCases
        )
        func garbage(kind: RefusedUploadTests.Kind) async throws {
            let replies = ["garbage", "<html>\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/2 200 OK\r\n\r\n"]
            let server = try TLSCutter(replies)
            for (index, reply) in replies.enumerated() {
                let place = url("https://good.test/\(index)/\(reply.utf8.count)/silent/100000")
                let request = TransportRequest(method: .post, url: place, body: kind.body)
                let error = try await server.transport().error(of: request)
                // libcurl may notice first that it cannot send any more.
                let isUnread = error?.code == .connectionLost && error?.phase == .send
                #expect(isUnread || error?.code == .invalidResponse, "\(reply)")
                #expect(isUnread || error?.phase == .receive, "\(reply)")
                #expect(error?.isSafeToResend == false, "\(reply)")
            }
            #expect(try await server.seen() == replies.count)
        }

        @Test("each response has the same outcome at the first exchange, at later ones, and without TLS")
        func alike() async throws {
            let rows = PlayedResponse.all
            let server = try TLSCutter(rows.map(\.text))
            let peer = try PlayedResponse.peer()
            let (later, plain) = (try server.transport(), CurlTransport())
            // The server of TLS is given text.
            for (index, row) in rows.enumerated() where !row.bytes.contains(0) && row.bytes == Array(row.text.utf8) {
                let path = "\(index)/\(row.text.utf8.count)/notified"
                func request(_ base: String) -> TransportRequest {
                    TransportRequest(method: row.method, url: url(base + path), timeouts: .patient)
                }
                let expected = await ExchangeOutcome(request(peer.url.absoluteString), plain)
                for transport in [try server.transport(), later, later] {
                    let outcome = await ExchangeOutcome(request("https://good.test/"), transport)
                    if outcome != expected { Issue.record("\(row.name): \(outcome), not \(expected)") }
                }
            }
        }
    }
#endif
