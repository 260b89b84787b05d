#if os(Linux)
    import TestSupport
    import CoreNetKitCurl
    import TestPrograms

    @Suite("Curl: HTTP/2", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct CurlHTTP2Tests {
        private let nginx: NginxServer
        private let server: LoopbackServer

        init() throws {
            let server = try LoopbackServer(recording: .last(1))
            nginx = try NginxServer(
                """
                server {
                    listen unix:DIR/tls ssl http2;
                    location /connection { return 200 "$connection"; }
                    location / { proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1;
                                 proxy_buffering off; proxy_request_buffering off; }
                }
                server {
                    listen unix:DIR/plain http2;
                    location / { proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1; }
                }
                """
            )
            self.server = server
        }

        private func transport(
            _ socket: String = "tls",
            _ version: CurlTransport.Configuration.HTTPVersion = .automatic
        ) throws -> CurlTransport { return try CurlTransport.trusting(nginx, socket) { $0.httpVersion = version } }

        @Test("a burst of first requests shares one connection")
        func burst() async throws {
            let transport = try transport()
            let connections = try await concurrently(50) { _ in
                let response = try await transport.send(TransportRequest(url: url("https://good.test/connection")))
                #expect(response.timings.httpVersion == "2")
                return response.body.data
            }
            #expect(Set(connections).count == 1)
        }

        @Test("HTTP/1.1 if set so, HTTP/2 without TLS if set so")
        func versions() async throws {
            let old = try await transport("tls", .http1).send(.init(url: url("https://good.test/connection")))
            #expect(old.timings.httpVersion == "1.1")
            server.on(.get, "/", .text("ok"))
            let plain = try await transport("plain", .http2PriorKnowledge).send(.init(url: url("http://good.test/")))
            #expect(plain.timings.httpVersion == "2")
        }

        @Test("a paused stream continues, many times, beside others on its connection")
        func pauses() async throws {
            server.on(.get, "/large") { _ in
                .stream(length: 8 << 20) { $0 < 128 ? Data(repeating: UInt8($0), count: 65536) : nil }
            }
            server.on(.get, "/small", .text("ok"))
            let transport = try transport()
            let stream = try await transport.stream(TransportRequest(url: url("https://good.test/large")))
            var (total, turn) = (0, 0)
            for try await chunk in stream {
                total += chunk.count
                turn += 1
                guard turn % 4 == 0 else { continue }
                // Another exchange on the same connection, while this one has more than its buffer holds.
                #expect(try await transport.text(url("https://good.test/small")) == "ok")
            }
            #expect(total == 8 << 20)
        }

        @Test("content without a head is an error, however much it is", arguments: [ResponseDelivery.stream, .collect])
        func withoutHead(delivery: ResponseDelivery) async throws {
            // The proxy takes it for HTTP/0.9, and passes it on as content alone.
            server.on(.get, "/", .data(Data(count: 600_000)).fault(.garbageStatusLine))
            let transport = try transport()
            let error = await transport.error(of: TransportRequest(url: url("https://good.test/"), delivery: delivery))
            #expect(error?.code == .invalidResponse)
        }

        @Test("cancelling one exchange leaves the others of its connection alone")
        func cancelOne() async throws {
            let gate = LoopbackGate()
            server.on(.get, "/stall", .text("x").fault(.stall(.beforeStatus)))
            server.on(.get, "/late", .text("0123456789").fault(.stall(.inBody(5), until: gate)))
            let transport = try transport()
            let other = transport.call(url("https://good.test/late"))
            let task = transport.call(url("https://good.test/stall"))
            try await server.wait { $0.requests == 2 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            gate.open()
            #expect(try await other.value.body.data?.count == 10)
            try await server.wait { $0.open == 0 }
        }
    }
#endif
