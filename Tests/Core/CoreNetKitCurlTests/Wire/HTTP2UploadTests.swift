#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: bodies over HTTP/2", .timeLimit(.minutes(10)), .paced)
    struct HTTP2UploadTests {
        /// What the server sends after one window of a body, leaving the rest unread.
        struct Early: Sendable, CustomTestStringConvertible {
            var status = 413
            var hasLength = true
            /// After how many milliseconds the stream is reset; `nil` if it is not.
            var reset: Int32?
            var delivery: ResponseDelivery = .collect
            var testDescription: String {
                "\(status)\(hasLength ? " with a length" : ""), \(delivery), stream reset: \(reset ?? -1)"
            }
        }

        static let rows =
            [413, 401].flatMap { status in
                [true, false].flatMap { hasLength in
                    [nil, 1000].map { Early(status: status, hasLength: hasLength, reset: $0) }
                }
            } + [Early(reset: 0), Early(delivery: .stream), Early(reset: 1000, delivery: .stream)]

        @Test(
            "an early refusal is the response, with or without a reset of its stream after it (RFC 9113, 8.1)",
            arguments: rows,
            RefusedUploadTests.Kind.allCases
        )
        func early(row: Early, kind: RefusedUploadTests.Kind) async throws {
            let peer = try RawPeer { raw, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                raw.note("request")
                peer.body(65_535)
                peer.head(row.status, row.hasLength ? [("content-length", "2")] : [], on: stream)
                peer.data("no", on: stream, ends: true)
                if let reset = row.reset {
                    if reset > 0 { peer.drain(for: reset) }
                    peer.reset(stream, 0)
                }
                while peer.next() != nil {}
            }
            let limits = Timeouts(connect: .seconds(30), firstByte: .seconds(30), idle: .seconds(5))
            var request = TransportRequest(method: .post, url: peer.url, body: kind.body, timeouts: limits)
            request.delivery = row.delivery
            let response = try await CurlTransport.plainHTTP2.send(request)
            #expect(response.status == row.status)
            #expect(try await response.body.collect() == Data("no".utf8))
            #expect(response.isDelimited)
            #expect(peer.requests.count == 1)
        }

        @Test("the idle limit of a stalled body counts from its last byte", arguments: RefusedUploadTests.Kind.allCases)
        func idle(kind: RefusedUploadTests.Kind) async throws {
            let lastMove = Locked<ContinuousClock.Instant?>(nil)
            let peer = try RawPeer { _, connection in
                guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                peer.body(65_535)
                // Room for a little more, after a sixth of the limit; then nothing.
                peer.drain(for: 1000)
                let room: [UInt8] = [0, 0, 0x10, 0]
                peer.send(HTTP2Peer.Kind.window, payload: room)
                peer.send(HTTP2Peer.Kind.window, on: stream, payload: room)
                peer.body(4096)
                lastMove.withLock { $0 = .now }
                connection.isIdle(for: 60_000)
            }
            let limits = Timeouts(connect: .seconds(30), firstByte: .seconds(30), idle: .seconds(4))
            let request = TransportRequest(method: .post, url: peer.url, body: kind.body, timeouts: limits)
            let error = await CurlTransport.plainHTTP2.error(of: request)
            #expect(error?.code == .timedOut)
            let timings = try #require(error?.timings)
            let ended = try #require(timings.startInstant) + #require(timings.total)
            let waited = try #require(lastMove.withLock { $0 }).duration(to: ended)
            // Counted from the check that notices the movement it would be seven seconds.
            #expect(waited < .seconds(6), "\(waited)")
        }

        /// What becomes of a request on a connection that has served another one.
        enum Second: CaseIterable { case refusedOnce, refusedAlways, lost }

        @Test(
            "a POST on a kept connection: a refused stream is requested again (RFC 9113, 8.7), a lost one is not",
            arguments: Second.allCases
        )
        func kept(second: Second) async throws {
            let peer = try RawPeer { raw, connection in
                guard let peer = HTTP2Peer(connection) else { return }
                while let stream = peer.request() {
                    raw.note("request")
                    let count = raw.requests.count
                    if count == 1 || count > 2 && second == .refusedOnce {
                        peer.head(204, on: stream, ends: true)
                    } else if second == .lost {
                        return
                    } else {
                        peer.reset(stream, 7)
                    }
                }
            }
            let transport = CurlTransport.plainHTTP2
            _ = try await transport.send(TransportRequest(url: peer.url))
            let request = TransportRequest(method: .post, url: peer.url, body: .bytes(Data("abc".utf8)))
            if second == .refusedOnce {
                #expect(try await transport.send(request).status == 204)
                #expect(peer.requests.count == 3)
            } else {
                #expect(await transport.error(of: request)?.isSafeToResend == (second == .refusedAlways))
                #expect((peer.requests.count == 2) == (second == .lost))
            }
        }

        static let text = "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok"

        @Test("an HTTP/2 status line as text is not an HTTP/1.1 response (RFC 9112, 2.3), and its request is sent once")
        func asText() async throws {
            let peer = try RawPeer { raw, connection in
                while raw.head(of: connection) != nil {
                    connection.write(raw.requests.count == 1 ? "HTTP/1.1 204 No\r\n\r\n" : Self.text)
                    if raw.requests.count == 2 { return }
                }
            }
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: peer.url))
            let error = await transport.error(of: TransportRequest(method: .post, url: peer.url))
            #expect(error?.code == .invalidResponse && error?.isSafeToResend == false)
            #expect(peer.requests.count == 2)
        }

        @Test("nor is it over TLS without a negotiated protocol", .enabled(if: TLSCutter.isInstalled))
        func asTextOverTLS() async throws {
            let server = try TLSCutter([Self.text])
            for http in HTTPChoice.all {
                let transport = try server.transport { $0.httpVersion = http.version }
                let place = url("https://good.test/0/\(Self.text.utf8.count)/notified")
                let error = await transport.error(of: TransportRequest(method: .post, url: place))
                #expect(error?.code == .invalidResponse, "\(http)")
            }
        }
    }
#endif
