#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: a connection without HTTP", .timeLimit(.minutes(10)), .paced)
    struct RawConnectionTests {
        private let transport = CurlTransport()

        private func text(_ stream: DuplexStream, _ count: Int) async throws -> String {
            var bytes = Data()
            while bytes.count < count, let more = try await stream.receive() { bytes += more }
            return String(decoding: bytes, as: UTF8.self)
        }

        @Test("gets the first byte from either side, and sends only what was written")
        func bothSides() async throws {
            let peer = try RawPeer { peer, connection in
                connection.write("+hello\r\n")
                peer.note(connection.rest(until: "\r\n"))
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                peer.note(connection.rest(until: "\r\n"))
            }
            let stream = try await transport.connect(to: peer.url, within: .seconds(10))
            #expect(try await text(stream, 8) == "+hello\r\n")
            try await stream.send(Data("PING\r\n".utf8))
            // Bytes that look like a response are allowed too.
            #expect(try await text(stream, 38) == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            try await stream.send(Data("QUIT\r\n".utf8))
            #expect(try await stream.receive() == nil)
            #expect(peer.requests == ["PING\r\n", "QUIT\r\n"])
        }

        @Test("is never one that an exchange has used, and no exchange uses it")
        func separate() async throws {
            let peer = try RawPeer { peer, connection in
                while let head = connection.head() {
                    peer.note("\(connection.index) \(head.prefix(3))")
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            for _ in 0..<2 {
                _ = try await transport.send(TransportRequest(url: peer.url))
                let stream = try await transport.connect(to: peer.url, within: .seconds(10))
                try await stream.send(Data("RAW\r\n\r\n".utf8))
                #expect(try await text(stream, 40).hasSuffix("ok"))
                stream.close()
            }
            #expect(peer.requests == ["0 GET", "1 RAW", "0 GET", "2 RAW"])
        }

        @Test("carries megabytes in both directions")
        func large() async throws {
            let count = 8 << 20
            let peer = try RawPeer { _, connection in connection.write(connection.read(count)) }
            // Before the connection: a sanitizer is slow at it, and the peer waits for ten seconds at most.
            let data = Data.numbered(count)
            let stream = try await transport.connect(to: peer.url, within: .seconds(10))
            async let sent: Void = stream.send(data)
            var received = Data()
            while received.count < count, let more = try await stream.receive() { received += more }
            try await sent
            #expect(received == data)
        }

        @Test("fails like any connection: refused, or not made within its limit")
        func fails() async throws {
            let refused = await #expect(throws: TransportError.self) {
                try await transport.connect(to: url("http://127.0.0.1:1/"), within: .seconds(10))
            }
            #expect(refused?.code == .cannotConnect)
            // It accepts, and sends nothing: the TLS handshake never completes.
            let peer = try RawPeer { _, connection in connection.awaitEnd() }
            let silent = url(peer.url.absoluteString.replacingOccurrences(of: "http:", with: "https:"))
            let late = await #expect(throws: TransportError.self) {
                try await transport.connect(to: silent, within: .milliseconds(200))
            }
            #expect(late?.code == .timedOut)
        }

        @Test("ends with the transport, and with a task that is cancelled while it is made")
        func ends() async throws {
            let peer = try RawPeer { _, connection in connection.awaitEnd() }
            let silent = url(peer.url.absoluteString.replacingOccurrences(of: "http:", with: "https:"))
            let task = Task { try await transport.connect(to: silent, within: .seconds(60)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let stream = try await transport.connect(to: peer.url, within: .seconds(10))
            let reader = Task { try await stream.receive() }
            await transport.shutdown()
            await #expect(throws: TransportError.self) { try await reader.value }
            await #expect(throws: TransportError.self) {
                try await transport.connect(to: peer.url, within: .seconds(10))
            }
        }

        @Test("uses TLS without ALPN, where HTTP uses it", .needsNginx)
        func tls() async throws {
            let nginx = try NginxServer(
                #"server { listen unix:DIR/raw ssl http2; location / { return 200 "alpn=$ssl_alpn_protocol;"; } }"#
            )
            let transport = try CurlTransport.trusting(nginx, "raw") { $0.httpVersion = .http1 }
            // Successive handles of libcurl serve both.
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: url("https://good.test/")))
                #expect(response.body.data.map { String(decoding: $0, as: UTF8.self) } == "alpn=http/1.1;")
                let stream = try await transport.connect(to: url("https://good.test/"), within: .seconds(10))
                try await stream.send(Data("GET / HTTP/1.0\r\n\r\n".utf8))
                var all = ""
                while let more = try await stream.receive() { all += String(decoding: more, as: UTF8.self) }
                #expect(all.hasSuffix("alpn=;"))
                await #expect(throws: TransportError.self) {
                    try await transport.connect(to: url("https://other.test/"), within: .seconds(10))
                }
            }
        }
    }
#endif
