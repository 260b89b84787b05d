#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: timeouts", .timeLimit(.minutes(10)), .paced)
    struct CurlTimeoutTests {
        private let transport = CurlTransport()

        @Test("first byte: names the phase and the limit, to the millisecond", arguments: [200, 500])
        func firstByte(limit: Int) async throws {
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let timeouts = Timeouts(firstByte: .milliseconds(limit))
            let error = await transport.error(of: TransportRequest(url: server.url("/"), timeouts: timeouts))
            // By the transport's own clock: the test's task may be resumed late.
            let time = error?.timings.total ?? .zero
            #expect(error?.code == .timedOut && error?.phase == .wait)
            #expect(error?.message.contains("no first byte within \(limit) ms") == true)
            #expect(error?.isSafeToResend == false)
            #expect(time >= .milliseconds(limit) && time < .milliseconds(limit + 20_000))
        }
    }

    @Suite("Curl: faults", .timeLimit(.minutes(10)), .paced)
    struct CurlFailureTests {
        private let transport = CurlTransport()

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
    }
#endif
