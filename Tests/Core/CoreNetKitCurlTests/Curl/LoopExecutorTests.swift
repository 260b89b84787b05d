#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: tasks on the transport's own threads", .timeLimit(.minutes(10)), .paced)
    struct LoopExecutorTests {
        private func transport(loops: Int = 1, perHost: Int = 64) -> CurlTransport {
            .made { ($0.loops, $0.connectionsPerHost) = (loops, perHost) }
        }

        private var threadName: String? {
            try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
        }

        @Test(
            "a call and its continuation stay on the threads of a loop, whatever the number of loops",
            arguments: [1, 3]
        )
        func thread(loops: Int) async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let transport = transport(loops: loops)
            let tasks = (0..<20).map { _ in
                Task(executorPreference: transport.taskExecutor()) {
                    for _ in 0..<10 {
                        #expect(threadName == "CurlTransport")
                        _ = try await transport.send(TransportRequest(url: server.url("/")))
                        #expect(threadName == "CurlTransport")
                    }
                }
            }
            for task in tasks { try await task.value }
            #expect(await transport.statistics().connectionsCreated <= loops * 20)
        }

        @Test("a task that computes does not keep the wire from moving")
        func computing() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let transport = transport()
            let request = TransportRequest(url: server.url("/"))
            _ = try await transport.send(request)
            let isOver = Locked(false)
            let hasBegun = LoopbackGate()
            let computing = Task(executorPreference: transport.taskExecutor()) {
                hasBegun.open()
                // Ends only when others' calls have ended.
                while !isOver.withLock({ $0 }) { sched_yield() }
            }
            try await hasBegun.wait()
            for _ in 0..<20 { #expect(try await transport.send(request).status == 200) }
            let other = Task(executorPreference: transport.taskExecutor()) { try await transport.send(request).status }
            #expect(try await other.value == 200)
            isOver.withLock { $0 = true }
            await computing.value
        }

        @Test("a stream is read there, in pieces and under its limits")
        func stream() async throws {
            let chunk = Data(count: 1 << 16)
            let server = try LoopbackServer { _ in .stream { index in index < 64 ? chunk : nil } }
            let transport = transport()
            let count = try await withTaskExecutorPreference(transport.taskExecutor()) {
                try await transport.stream(TransportRequest(url: server.url("/"))).reduce(0) { $0 + $1.count }
            }
            #expect(count == 64 << 16)
        }

        @Test("tasks continue after the transport has ended")
        func ended() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = transport()
            let executor = transport.taskExecutor()
            let request = TransportRequest(url: server.url("/"))
            let gate = LoopbackGate()
            let held = Task(executorPreference: executor) {
                _ = try await transport.send(request)
                let before = threadName
                await transport.shutdown()
                try await gate.wait()
                return (before, threadName)
            }
            while await transport.failure(server.url("/")) != .shutDown {}
            gate.open()
            let (before, after) = try await held.value
            #expect(before == "CurlTransport" && after != before)
            let late = Task(executorPreference: executor) { await transport.failure(server.url("/")) }
            #expect(await late.value == .shutDown)
        }

        @Test("tasks continue after the transport was released")
        func dropped() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let executor = transport().taskExecutor()
            #expect(await Task(executorPreference: executor) { 7 }.value == 7)
            let task = Task(executorPreference: executor) {
                let own = CurlTransport()
                return try await own.send(TransportRequest(url: server.url("/"))).status
            }
            #expect(try await task.value == 200)
        }

        @Test("of calls that are cancelled together none is started first")
        func cancellation() async throws {
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let transport = transport(perHost: 4)
            let executor = transport.taskExecutor()
            let calls = Task(executorPreference: executor) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 {
                        group.addTask {
                            await #expect(throws: CancellationError.self) {
                                try await transport.send(TransportRequest(url: server.url("/"), timeouts: .unlimited))
                            }
                        }
                    }
                }
            }
            try await server.wait { $0.stalls == 4 }
            while await transport.statistics().waiting < 196 { await Task.yield() }
            // The loop cannot take a turn meanwhile, so it sees all of them at once.
            let loop = try #require(transport.loops.first)
            loop.stateLock.withLock { _ in calls.cancel() }
            await calls.value
            try await server.wait { $0.open == 0 }
            #expect(server.counts.connections == 4)
        }

        @Test("statistics requested at the very end are returned")
        func figuresAtTheEnd() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            for _ in 0..<20 {
                let transport = transport()
                _ = try await transport.send(TransportRequest(url: server.url("/")))
                async let end: Void = transport.shutdown()
                for _ in 0..<20 { _ = await transport.statistics() }
                await end
            }
        }
    }
#endif
