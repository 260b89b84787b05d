#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: kept connections", .timeLimit(.minutes(10)), .paced)
    struct KeptConnectionTests {
        private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        private static let late = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        private static let post = RequestBody.bytes(Data("abc".utf8))

        /// Responds to one request and then sends unexpected bytes.
        private func peer(saying text: String) throws -> (RawPeer, Signal) {
            let said = Signal()
            let peer = try RawPeer { peer, connection in
                while let head = peer.head(of: connection) {
                    if head.hasPrefix("POST") { _ = connection.read(3) }
                    connection.write(Self.ok)
                    guard connection.index == 0 else { continue }
                    connection.write(text)
                    said.signal()
                }
            }
            return (peer, said)
        }

        @Test("a host keeps its connection, however many hosts there were before it")
        func manyHosts() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let port = try #require(server.url("/").port)
            var configuration = CurlTransport.Configuration()
            for index in 0...300 { configuration.addresses["h\(index).test:\(port)"] = ["127.0.0.1"] }
            let transport = CurlTransport(configuration: configuration)
            for index in 0...300 {
                let url = try #require(URL(string: "http://h\(index).test:\(port)/"))
                _ = try await transport.send(TransportRequest(url: url))
            }
            let last = try #require(URL(string: "http://h300.test:\(port)/"))
            let response = try await transport.send(TransportRequest(url: last))
            #expect(response.timings.isConnectionReused == true)
        }

        @Test(
            "unexpected bytes close the connection and are never a response (RFC 9112, 9.2)",
            arguments: [late, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong", "x"],
            [HTTPMethod.get, .post]
        )
        func unaskedBytes(text: String, method: HTTPMethod) async throws {
            let (peer, said) = try peer(saying: text)
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: peer.url))
            await said.wait()
            let body = method == .post ? Self.post : .empty
            let response = try await transport.send(TransportRequest(method: method, url: peer.url, body: body))
            #expect(response.status == 200 && response.body.data == Data("ok".utf8))
            #expect(response.timings.isConnectionReused == false)
            #expect(peer.requests.count == 2)
        }

        @Test("a 408 with close on a kept connection is no response: the request is sent again (RFC 9110, 15.5.9)")
        func lateTimeout() async throws {
            let peer = try RawPeer { peer, connection in
                var count = 0
                while let head = peer.head(of: connection) {
                    if head.hasPrefix("POST") { _ = connection.read(3) }
                    count += 1
                    connection.write(connection.index == 0 && count == 2 ? Self.late : Self.ok)
                    if connection.index == 0, count == 2 { return }
                }
            }
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: peer.url))
            let response = try await transport.send(TransportRequest(method: .post, url: peer.url, body: Self.post))
            #expect(response.status == 200)
            #expect(peer.requests.count == 3)
        }

        @Test("a 408 on a new connection, or on one that is kept, is the response", arguments: [true, false])
        func ownTimeout(isNew: Bool) async throws {
            let peer = try RawPeer { peer, connection in
                var count = 0
                while peer.head(of: connection) != nil {
                    count += 1
                    if isNew || count == 2 {
                        connection.write(isNew ? Self.late : "HTTP/1.1 408 Slow\r\nContent-Length: 0\r\n\r\n")
                    } else {
                        connection.write(Self.ok)
                    }
                }
            }
            let transport = CurlTransport()
            if !isNew { _ = try await transport.send(TransportRequest(url: peer.url)) }
            let response = try await transport.send(TransportRequest(url: peer.url))
            #expect(response.status == 408)
            #expect(peer.requests.count == (isNew ? 1 : 2))
        }

        @Test("content followed by more than was promised ends the connection, not the call")
        func surplus() async throws {
            let peer = try RawPeer(answering: Self.ok + "surplus")
            let transport = CurlTransport()
            for _ in 0..<3 {
                let response = try await transport.send(TransportRequest(url: peer.url))
                #expect(response.body.data == Data("ok".utf8))
                #expect(response.timings.isConnectionReused == false)
            }
        }

        @Test(
            "a connection is kept if both sides want it",
            arguments: [
                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", nil, true),
                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok", nil, false),
                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "close", false),
                ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", "x, Close", false),
                ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", nil, false),
                ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", nil, true),
                ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", nil, true),
                (
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                    nil, false
                ),
            ]
        )
        func keeping(response: String, option: String?, isKept: Bool) async throws {
            let peer = try RawPeer(answering: response)
            let transport = CurlTransport()
            var request = TransportRequest(url: peer.url)
            request.headers["Connection"] = option
            _ = try await transport.send(request)
            let second = try await transport.send(request)
            #expect(second.body.data == Data("ok".utf8))
            #expect(second.timings.isConnectionReused == isKept)
        }

        @Test(
            "a server's Keep-Alive is honoured: no request meets the end of a connection that the server announced",
            arguments: [
                ("timeout=5, max=100", [false, true, true]), ("timeout=1", [false, false, false]),
                ("timeout=0", [false, false, false]), ("max=2", [false, true, false]),
                ("max=1", [false, false, false]),
                ("timeout=99999999999, max=9223372036854775807", [false, true, true]),
            ]
        )
        func announced(field: String, areReused: [Bool]) async throws {
            let peer = try RawPeer(answering: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: \(field)\r\n\r\nok")
            let transport = CurlTransport()
            for isReused in areReused {
                let response = try await transport.send(TransportRequest(url: peer.url))
                #expect(response.timings.isConnectionReused == isReused)
            }
        }

        @Test("an idle connection is closed a second before the server's time")
        func closed() async throws {
            let ended = Signal()
            let peer = try RawPeer { peer, connection in
                guard peer.head(of: connection) != nil else { return }
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=2\r\n\r\nok")
                connection.awaitEnd()
                ended.signal()
            }
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: peer.url))
            #expect(await transport.statistics().idle == 1)
            // The configured time is 60 s.
            let start = ContinuousClock.now
            await ended.wait()
            #expect(start.duration(to: .now) < .seconds(50))
            #expect(await transport.statistics().open == 0)
        }

        @Test("idle connections of other hosts make room for a new one")
        func room() async throws {
            let peers = try (0..<4).map { _ in try RawPeer(answering: Self.ok) }
            let transport = CurlTransport.made { $0.totalConnections = 2 }
            for peer in peers { _ = try await transport.send(TransportRequest(url: peer.url)) }
            let statistics = await transport.statistics()
            #expect(statistics.open == 2 && statistics.idle == 2 && statistics.connectionsCreated == 4)
            // The most recently used one is still there.
            let last = try await transport.send(TransportRequest(url: peers[3].url))
            #expect(last.timings.isConnectionReused == true)
        }
    }

    @Suite("The wire: a second connection for one exchange", .timeLimit(.minutes(10)), .paced)
    struct SecondConnectionTests {
        /// A SOCKS proxy that is also the server: it delays the second connection.
        @Test("a connection's limit starts with that connection")
        func limit() async throws {
            let peer = try RawPeer { peer, connection in
                let methods = connection.read(2)
                _ = connection.read(Int(methods.last ?? 0))
                connection.write([5, 0])
                // An IPv4 address and a port.
                guard connection.read(10).count == 10 else { return }
                if connection.index == 1 { connection.isIdle(for: 300) }
                connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                var count = 0
                while peer.head(of: connection) != nil {
                    count += 1
                    // Longer than the limit, and then the end.
                    if connection.index == 0, count == 2, connection.isIdle(for: 1_900) { return }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
            }
            let transport = CurlTransport.made { $0.proxy = .server(url("socks5://127.0.0.1:\(peer.url.port ?? 0)")) }
            var request = TransportRequest(url: url("http://127.0.0.1:1/"))
            request.timeouts.connect = .seconds(1)
            _ = try await transport.send(request)
            #expect(try await transport.send(request).status == 200)
            #expect(peer.requests.count == 3)
        }
    }
#endif
