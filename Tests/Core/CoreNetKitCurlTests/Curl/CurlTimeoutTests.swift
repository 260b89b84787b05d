#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: timeouts", .timeLimit(.minutes(10)), .paced)
    struct CurlTimeoutTests {
        private let transport = CurlTransport()

        /// The error, and when the limit expired by the transport's own clock: the test's task may be resumed late.
        private func failure(_ request: TransportRequest) async -> (error: TransportError?, time: Duration) {
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .timedOut)
            return (error, error?.timings.total ?? .zero)
        }

        @Test("first byte: names the phase and the limit, to the millisecond", arguments: [200, 500])
        func firstByte(limit: Int) async throws {
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let timeouts = Timeouts(firstByte: .milliseconds(limit))
            let (error, time) = await failure(TransportRequest(url: server.url("/"), timeouts: timeouts))
            #expect(error?.phase == .wait)
            #expect(error?.message.contains("no first byte within \(limit) ms") == true)
            #expect(error?.isSafeToResend == false)
            #expect(time >= .milliseconds(limit) && time < .milliseconds(limit + 20_000))
        }

        @Test("idle: expires when the content stops, not while it trickles")
        func idle() async throws {
            let server = try LoopbackServer()
            server.on(.get, "/stall", .text("0123456789").fault(.stall(.inBody(5))))
            server.on(.get, "/drip", .text(String(repeating: "x", count: 400)).fault(.drip(1)))
            let timeouts = Timeouts(idle: .milliseconds(200))
            let (error, _) = await failure(TransportRequest(url: server.url("/stall"), timeouts: timeouts))
            #expect(error?.phase == .receive)
            #expect(error?.message.contains("within 200 ms") == true)
            let longer = Timeouts(idle: .seconds(2))
            let dripped = try await transport.send(TransportRequest(url: server.url("/drip"), timeouts: longer))
            #expect(dripped.body.data?.count == 400)
        }

        @Test("total: expires while the content trickles")
        func total() async throws {
            let server = try LoopbackServer { _ in .text(String(repeating: "x", count: 100_000)).fault(.drip(1)) }
            let timeouts = Timeouts(total: .seconds(2))
            let (error, time) = await failure(TransportRequest(url: server.url("/"), timeouts: timeouts))
            #expect(error?.phase == .receive)
            #expect(time >= .seconds(2) && time < .seconds(22))
        }

        @Test("total: counts the wait for a free connection")
        func queued() async throws {
            let transport = CurlTransport.made { $0.connectionsPerHost = 1 }
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let first = Task { try await transport.send(TransportRequest(url: server.url("/1"))) }
            _ = try await server.waitForRequests(1)
            let error = await #expect(throws: TransportError.self) {
                let timeouts = Timeouts(total: .milliseconds(200))
                return try await transport.send(TransportRequest(url: server.url("/2"), timeouts: timeouts))
            }
            #expect(error?.code == .timedOut)
            #expect(error?.phase == .queue)
            #expect(error?.isSafeToResend == true)
            first.cancel()
            _ = await first.result
            #expect(server.requests.count == 1)
        }

        @Test("connect: expires during the TLS handshake")
        func connect() async throws {
            let server = try LoopbackServer()
            server.onConnect { _ in .stall }
            let secure = url("https://127.0.0.1:\(server.port)/")
            // Long enough for the connection itself, even on a busy machine.
            let timeouts = Timeouts(connect: .seconds(1))
            let (error, time) = await failure(TransportRequest(url: secure, timeouts: timeouts))
            #expect(error?.phase == .tls)
            #expect(error?.isSafeToResend == true)
            #expect(time >= .seconds(1) && time < .seconds(21))
        }

        @Test("a limit of a century is no limit")
        func farAway() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let long = Duration.seconds(Int64.max)
            let timeouts = Timeouts(phases: long, total: long)
            let response = try await transport.send(TransportRequest(url: server.url("/"), timeouts: timeouts))
            #expect(response.status == 200)
        }
    }

    @Suite("Curl: faults", .timeLimit(.minutes(10)), .paced)
    struct CurlFailureTests {
        private let transport = CurlTransport()

        private func failure(_ url: URL) async -> TransportError? {
            await #expect(throws: TransportError.self) { try await transport.send(TransportRequest(url: url)) }
        }

        static let faults: [(LoopbackFault, TransportError.Code, TransportError.Phase)] = [
            (.close(.beforeStatus), .connectionLost, .wait),
            (.reset(.beforeStatus), .connectionLost, .wait),
            (.close(.inBody(5)), .connectionLost, .receive),
            (.reset(.inBody(5)), .connectionLost, .receive),
            (.contentLength(offBy: 3), .connectionLost, .receive),
            (.badChunk, .invalidResponse, .receive),
        ]

        @Test("a truncated or invalid response has its code and phase", arguments: faults)
        func broken(fault: LoopbackFault, code: TransportError.Code, phase: TransportError.Phase) async throws {
            let response: LoopbackResponse
            if case .badChunk = fault { response = .chunks("01234", "56789") } else { response = .text("0123456789") }
            let server = try LoopbackServer { _ in response.fault(fault).closing() }
            let error = await failure(server.url("/"))
            #expect(error?.code == code)
            #expect(error?.phase == phase)
            #expect(error?.isSafeToResend == false)
            #expect(error?.timings.isConnectionReused == false)
        }

        @Test("a server that does not speak HTTP")
        func garbage() async throws {
            let server = try LoopbackServer { _ in .raw("SSH-2.0-OpenSSH_9\r\n") }
            let error = await failure(server.url("/"))
            #expect(error?.code == .invalidResponse)
        }

        @Test(
            "a dead kept connection is replaced, even for a POST, and the body is sent from its start",
            arguments: [0, 10, 40_000, 80_000, 300_000]
        )
        func deadConnection(count: Int) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            for _ in 0..<4 {
                let body = RequestBody.bytes(Data(repeating: 1, count: count))
                let response = try await transport.send(
                    TransportRequest(method: .post, url: server.url("/"), body: body)
                )
                #expect(response.status == 200)
                server.closeConnections()
                try await server.wait { $0.open == 0 }
            }
            #expect(server.requests.count == 4)
            #expect(server.requests.allSatisfy { $0.body.count == count })
        }

        @Test("a kept connection reset by the next request is replaced once")
        func resetOnReuse() async throws {
            let server = try LoopbackServer { request in
                request.index == 1 ? .text("x").fault(.reset(.beforeStatus)) : .text("ok")
            }
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.body.data == Data("ok".utf8))
            }
            #expect(server.requests.count == 3)
        }
    }
#endif
