#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: cancellation", .timeLimit(.minutes(10)), .paced)
    struct CurlCancellationTests {
        private let transport = CurlTransport()

        @Test("ends a TLS handshake")
        func handshake() async throws {
            let server = try LoopbackServer()
            server.onConnect { _ in .stall }
            let secure = url("https://127.0.0.1:\(server.port)/")
            let task = transport.call(secure)
            try await server.wait { $0.connections == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await server.wait { $0.open == 0 }
        }

        @Test("of thousands of waiting requests the cancelled ones go and the others are served")
        func crowd() async throws {
            let transport = CurlTransport.made { $0.connectionsPerHost = 1 }
            let gate = LoopbackGate()
            let server = try LoopbackServer(recording: .off)
            server.on(.get, "/first") { _ in
                try? await gate.wait()
                return .text("ok")
            }
            server.on(.get, "/", .text("ok"))
            let first = transport.call(server.url("/first"), .unlimited)
            try await server.wait { $0.requests == 1 }
            let crowd = (0..<1500).map { _ in
                Task { try await transport.send(TransportRequest(url: server.url("/"), timeouts: .unlimited)).status }
            }
            for (index, task) in crowd.enumerated() where index % 3 > 0 { task.cancel() }
            for (index, task) in crowd.enumerated() where index % 3 > 0 {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            gate.open()
            for (index, task) in crowd.enumerated() where index % 3 == 0 { #expect(try await task.value == 200) }
            #expect(try await first.value.status == 200)
            #expect(server.counts.requests == 501)
        }

        @Test("every call ends exactly once when hundreds are cancelled at random")
        func storm() async throws {
            let server = try LoopbackServer(recording: .off) { request in
                request.index % 3 == 0 ? .text("x").fault(.stall(.inHeaders)) : .text("ok")
            }
            let transport = transport
            let timeouts = Timeouts(total: .milliseconds(300))
            let outcomes = try await concurrently(300) { index in
                let task = transport.call(server.url("/"), timeouts)
                if index % 2 == 0 {
                    for _ in 0..<(index % 50) { await Task.yield() }
                    task.cancel()
                }
                switch await task.result {
                case .success(let response): return response.status == 200
                case .failure(let error):
                    return error is CancellationError || (error as? TransportError)?.code == .timedOut
                }
            }
            #expect(outcomes.count { $0 } == 300)
        }
    }
#endif
