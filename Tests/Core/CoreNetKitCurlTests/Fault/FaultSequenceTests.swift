#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: odd sequences", .timeLimit(.minutes(10)), .paced)
    struct FaultSequenceTests {
        private func outcome(_ task: Task<TransportResponse, any Error>) async -> String {
            switch await task.result {
            case .success(let response): return "\(response.status)"
            case .failure(is CancellationError): return "cancelled"
            case .failure(let error): return ((error as? TransportError)?.code).map { "\($0)" } ?? "\(error)"
            }
        }

        private func endless() throws -> LoopbackServer {
            try LoopbackServer(recording: .off) { _ in .stream(length: nil) { _ in Data(count: 65536) } }
        }

        @Test("cancelling a reader whose transfer is paused ends the connection")
        func cancelPaused() async throws {
            let server = try endless()
            let stream = try await CurlTransport().stream(TransportRequest(url: server.url("/")))
            let gate = LoopbackGate()
            let reader = Task {
                var count = 0
                for try await chunk in stream {
                    count += chunk.count
                    if count > 1_000_000 {
                        // Meanwhile the pipe fills up and the loop pauses.
                        try await Task.detached { try await gate.wait() }.value
                    }
                }
            }
            reader.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { try await reader.value }
            try await server.wait { $0.open == 0 }
        }

        @Test("shutting down ends a paused stream, with the bytes that came before the error")
        func shutDownPaused() async throws {
            let server = try endless()
            let transport = CurlTransport()
            let response = try await transport.send(TransportRequest(url: server.url("/"), delivery: .stream))
            await transport.shutdown()
            try await server.wait { $0.open == 0 }
            let error = await #expect(throws: TransportError.self) { try await response.body.collect() }
            #expect(error?.code == .shutDown)
        }

        @Test("with one connection: a queue in which some are cancelled and some time out keeps its order")
        func queue() async throws {
            let transport = CurlTransport.made { $0.connectionsPerHost = 1 }
            let gate = LoopbackGate()
            let server = try LoopbackServer { request in
                request.path == "/first" ? .text("x").fault(.stall(.beforeStatus, until: gate)) : .text("ok")
            }
            let first = transport.call(server.url("/first"), .unlimited)
            _ = try await server.waitForRequests(1)
            let late = (0..<10).map { index in
                let limit = Timeouts(total: .milliseconds(20 + index))
                let request = TransportRequest(url: server.url("/late"), timeouts: limit)
                return Task { try await transport.send(request) }
            }
            let cancelled = (0..<10).map { _ in transport.call(server.url("/cancelled")) }
            let patient = (0..<10).map { _ in transport.call(server.url("/patient"), .unlimited) }
            for call in cancelled { call.cancel() }
            for call in cancelled { #expect(await outcome(call) == "cancelled") }
            for call in late { #expect(await outcome(call) == "timedOut") }
            gate.open()
            for call in patient + [first] { #expect(await outcome(call) == "200") }
            #expect(server.requests.count == 11)
            #expect(server.counts.connections == 1)
        }

        @Test("shutting down amid starting, running and cancelled calls ends each of them")
        func shutDownStorm() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let url = server.url("/")
            for round in 0..<20 {
                let transport = CurlTransport()
                await withTaskGroup(of: String.self) { group in
                    for index in 0..<50 {
                        group.addTask {
                            let call = transport.call(url)
                            if index % 5 == 0 { call.cancel() }
                            return await outcome(call)
                        }
                    }
                    group.addTask {
                        for _ in 0..<round { await Task.yield() }
                        await transport.shutdown()
                        return "shutDown"
                    }
                    var ends = 0
                    for await outcome in group {
                        ends += 1
                        #expect(["200", "cancelled", "shutDown"].contains(outcome))
                    }
                    #expect(ends == 51)
                }
            }
        }

        @Test("two concurrent readers of one stream share its chunks, and both reach the end")
        func twoReaders() async throws {
            let server = try LoopbackServer(recording: .off) { _ in
                .stream(length: 3_000_000) { $0 < 30 ? Data(count: 100_000) : nil }
            }
            let stream = try await CurlTransport().stream(TransportRequest(url: server.url("/")))
            let counts = try await concurrently(2) { _ in try await stream.reduce(0) { $0 + $1.count } }
            #expect(counts.reduce(0, +) == 3_000_000)
        }
    }
#endif
