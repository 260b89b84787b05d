#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Several addresses of one family", .timeLimit(.minutes(10)), .paced)
    struct SeveralAddressesTests {
        /// Silence on 127.0.0.2 and 127.0.0.3, at the port of a server on 127.0.0.1.
        private func dead(_ port: Int) throws -> [FullListener] {
            [try #require(FullListener(2, port: port)), try #require(FullListener(3, port: port))]
        }

        private let limits = Timeouts(connect: .seconds(30), firstByte: nil, idle: nil, total: nil)

        @Test(
            "the next one is tried 250 ms after the one before, and the timings say which was used",
            arguments: HTTPChoice.all
        )
        func plain(http: HTTPChoice) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let dead = try dead(server.port)
            let transport = http.transport {
                $0.addresses = ["good.test:\(server.port)": ["127.0.0.2", "127.0.0.3", "127.0.0.1"]]
            }
            for isReused in [false, true] {
                let request = TransportRequest(url: url("http://good.test:\(server.port)/"), timeouts: limits)
                let response = try await transport.send(request)
                #expect(response.status == 200)
                #expect(response.timings.remoteAddress == "127.0.0.1:\(server.port)")
                #expect(response.timings.isConnectionReused == isReused)
                guard !isReused else { continue }
                let connect = try #require(response.timings.connect)
                #expect(connect > .milliseconds(450) && connect < .seconds(6), "\(connect)")
            }
            let statistics = await transport.statistics()
            #expect(statistics.open == 1 && statistics.idle == 1 && statistics.connectionsCreated == 1)
            withExtendedLifetime(dead) {}
        }

        @Test("the same for TLS", .needsNginx, arguments: HTTPChoice.all)
        func secure(http: HTTPChoice) async throws {
            let nginx = try NginxServer("server { listen unix:DIR/tls ssl http2; location / { return 200 ok; } }")
            let relay = try HandshakeRelay(server: nginx.path("tls"), record: .max, part: .nothing, end: .close).start()
            let port = relay.url.port ?? 0
            let dead = try dead(port)
            let transport = try http.trusting { $0.addresses = ["good.test:\(port)": ["127.0.0.2", "127.0.0.1"]] }
            for _ in 0..<2 {
                let request = TransportRequest(url: url("https://good.test:\(port)/"), timeouts: limits)
                let response = try await transport.send(request)
                #expect(response.status == 200 && response.timings.remoteAddress == "127.0.0.1:\(port)")
                guard response.timings.isConnectionReused == false else { continue }
                let connect = try #require(response.timings.connect)
                #expect(connect > .milliseconds(230) && connect < .seconds(6), "\(connect)")
            }
            withExtendedLifetime(dead) {}
        }

        @Test("the same for proxies", arguments: HTTPChoice.all, ["http", "socks5", "tunnel"])
        func proxies(http: HTTPChoice, kind: String) async throws {
            let peer =
                try kind == "socks5"
                ? SocksPeer().start()
                : RawPeer { peer, connection in
                    guard let head = peer.head(of: connection) else { return }
                    // A tunnel leads nowhere: that it was asked for is enough.
                    connection.write(
                        "HTTP/1.1 \(head.hasPrefix("CONNECT") ? 502 : 200) X\r\nContent-Length: 2\r\n\r\nok"
                    )
                    connection.awaitEnd()
                }
            let port = peer.url.port ?? 0
            let dead = try dead(port)
            let transport = http.transport {
                $0.addresses = ["proxy.test:\(port)": ["127.0.0.2", "127.0.0.1"]]
                $0.proxy = .server(url("\(kind == "socks5" ? kind : "http")://proxy.test:\(port)"))
            }
            let target = url("\(kind == "tunnel" ? "https" : "http")://there.invalid/")
            do {
                let response = try await transport.send(TransportRequest(url: target, timeouts: limits))
                #expect(response.status == 200 && kind != "tunnel")
                #expect(response.timings.remoteAddress == "127.0.0.1:\(port)")
            } catch let error as TransportError { #expect(error.code == .proxyFailed && kind == "tunnel", "\(error)") }
            #expect(peer.requests.last?.hasPrefix(kind == "tunnel" ? "CONNECT" : "GET") == true)
            withExtendedLifetime(dead) {}
        }

        @Test("where none responds, the error names all of them, and no figure drifts", arguments: HTTPChoice.all)
        func none(http: HTTPChoice) async throws {
            let listener = try #require(FullListener(2))
            let other = try #require(FullListener(3, port: listener.port))
            let port = listener.port
            let transport = http.transport { $0.addresses = ["good.test:\(port)": ["127.0.0.2", "127.0.0.3"]] }
            let limits = Timeouts(connect: .milliseconds(700), firstByte: nil, idle: nil, total: nil)
            for scheme in ["http", "https"] {
                let place = url("\(scheme)://good.test:\(port)/")
                let error = await transport.error(of: TransportRequest(url: place, timeouts: limits))
                #expect(error?.code == .timedOut && error?.phase == .connect && error?.isSafeToResend == true)
                let message = error?.message ?? ""
                #expect(message.contains("127.0.0.2:\(port), 127.0.0.3:\(port)"), "\(message)")
            }
            let statistics = await transport.statistics()
            #expect(statistics.open == 0 && statistics.idle == 0 && statistics.running == 0, "\(statistics)")
            withExtendedLifetime(other) {}
        }

        @Test("connections that were given up are not counted for ever", arguments: HTTPChoice.all)
        func statistics(http: HTTPChoice) async throws {
            let listener = try #require(FullListener(2))
            let transport = http.transport()
            let limits = Timeouts(connect: .milliseconds(100), firstByte: nil, idle: nil, total: nil)
            for scheme in ["http", "https"] {
                try await concurrently(30) { number in
                    let place = url("\(scheme)://127.0.0.2:\(listener.port)/\(number)")
                    let call = transport.call(place, limits)
                    if number % 3 == 0 { call.cancel() }
                    _ = try? await call.value
                }
                let statistics = await transport.statistics()
                #expect(statistics.open + statistics.idle + statistics.running == 0, "\(scheme): \(statistics)")
            }
        }
    }
#endif
