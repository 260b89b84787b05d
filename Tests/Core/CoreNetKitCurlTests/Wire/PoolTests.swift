#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: the pool and the routes to a server", .timeLimit(.minutes(10)), .paced)
    struct PoolTests {
        @Test("statistics: running, waiting, open, idle and created connections")
        func statistics() async throws {
            let gate = LoopbackGate()
            let server = try LoopbackServer { request in
                request.path == "/" ? .text("ok") : .text("x").fault(.stall(.beforeStatus, until: gate))
            }
            let transport = CurlTransport.made { $0.connectionsPerHost = 2 }
            #expect(await transport.statistics() == .init())
            _ = try await transport.send(TransportRequest(url: server.url("/")))
            var statistics = await transport.statistics()
            #expect(
                statistics.open == 1 && statistics.idle == 1 && statistics.connectionsCreated == 1
                    && statistics.handshakes == 0
            )
            let calls = (0..<3).map { _ in transport.call(server.url("/stall"), .unlimited) }
            try await server.wait { $0.requests == 3 }
            repeat { statistics = await transport.statistics() } while statistics.waiting == 0
            #expect(statistics.running == 2 && statistics.waiting == 1 && statistics.open == 2 && statistics.idle == 0)
            gate.open()
            for call in calls { _ = try await call.value }
            statistics = await transport.statistics()
            #expect(
                statistics.running == 0 && statistics.waiting == 0 && statistics.idle == 2
                    && statistics.connectionsCreated == 2
            )
            await transport.shutdown()
            #expect(await transport.statistics() == .init())
        }

        @Test("what the library lacks is refused, never ignored")
        func lacking() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            for (capability, change) in [
                (.http2Ping, { $0.http2PingInterval = .seconds(1) }), (.http3, { $0.httpVersion = .http3 }),
            ] as [(TransportCapabilities, (inout CurlTransport.Configuration) -> Void)] {
                let transport = CurlTransport.made(change)
                guard !transport.capabilities.contains(capability) else { continue }
                #expect(await transport.failure(server.url("/")) == .unsupported)
            }
            #expect(server.counts.connections == 0)
        }

        @Test("a warm connection serves the first request")
        func warmUp() async throws {
            let server = try LoopbackServer { _ in .text("ok", status: 404) }
            let transport = CurlTransport()
            try await transport.warmUp(server.url("/"))
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.timings.isConnectionReused == true)
        }
    }

    @Suite("Curl: the set of sockets", .paced)
    struct SocketSetTests {
        @Test("counts open connections: neither closed ones nor libcurl's other sockets")
        func connections() throws {
            let sockets = try #require(SocketSet())
            var pair: [Int32] = [-1, -1]
            try #require(pipe(&pair) == 0)
            sockets.opened(pair[0])
            #expect(sockets.connections == 1)
            sockets.opened(pair[1])
            #expect(sockets.connections == 2)
            for descriptor in pair { sockets.close(descriptor) }
            #expect(sockets.connections == 0)
            try #require(pipe(&pair) == 0)
            sockets.watch(pair[0], for: 1)
            #expect(sockets.connections == 0)
            for descriptor in pair { sockets.close(descriptor) }
            #expect(sockets.connections == 0)
        }

        /// How many unnamed sockets of this machine a program that is started now would inherit.
        private var inherited: Int {
            (Int32(3)..<1024).count { descriptor in
                var domain: Int32 = 0
                var size = socklen_t(MemoryLayout<Int32>.size)
                return fcntl(descriptor, F_GETFD) == 0
                    && getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX
            }
        }

        @Test("programs that are started inherit no socket by which libcurl wakes itself")
        func children() throws {
            let sockets = try #require(SocketSet())
            let before = inherited
            let multis = try (0..<20).map { try #require(MultiHandle(number: $0, sockets: sockets, connections: 1)) }
            // Other tests open sockets, too.
            #expect(inherited < before + 20)
            for multi in multis { multi.end() }
        }
    }
#endif
