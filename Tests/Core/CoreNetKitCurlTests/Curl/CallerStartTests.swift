#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import CoreNetKitSystem
    import TestPace
    import Testing

    @Suite("Curl: exchanges that are started by their caller", .timeLimit(.minutes(10)), .paced)
    struct CallerStartTests {
        private let gate = LoopbackGate(isOpen: true)
        private let server: LoopbackServer
        private let transport = CurlTransport()

        init() throws {
            let gate = gate
            server = try LoopbackServer { _ in
                try await gate.wait()
                return .text("ok")
            }
        }

        /// The loop once it sleeps beside an open connection.
        private func sleepingLoop() async throws -> CurlLoop {
            _ = try await transport.send(TransportRequest(url: server.url))
            let loop = try #require(transport.loops.first)
            while !loop.mailbox.withLock({ $0.isAsleep }) { await Task.yield() }
            return loop
        }

        private func transfer(_ loop: CurlLoop) throws -> Transfer {
            try Transfer(TransportRequest(url: server.url), file: nil, files: transport.files, options: loop.options)
        }

        @Test("a call on an open connection is sent without waking the loop")
        func direct() async throws {
            let loop = try await sleepingLoop()
            gate.close()
            #expect(loop.submit(.start(try transfer(loop))))
            #expect(loop.mailbox.withLock { $0.isAsleep && $0.commands.isEmpty })
            _ = try await server.waitForRequests(2)
            gate.open()
        }

        @Test("while a turn is under way, it goes through the mailbox, and is sent by the turn after it")
        func busy() async throws {
            let loop = try await sleepingLoop()
            let transfer = try transfer(loop)
            let (isTaken, stage) = loop.stateLock.withLock { _ in (loop.submit(.start(transfer)), transfer.stage) }
            #expect(isTaken && stage == .new)
            _ = try await server.waitForRequests(2)
        }

        @Test("one that is cancelled already is not sent")
        func cancelled() async throws {
            let loop = try await sleepingLoop()
            let cancelled = try transfer(loop)
            cancelled.isCancelled = true
            #expect(loop.submit(.start(cancelled)))
            _ = try await transport.send(TransportRequest(url: server.url))
            #expect(server.requests.count == 2)
        }

        @Test("calls of many tasks at once, from threads of their own, all get their own response")
        func many() async throws {
            _ = try await sleepingLoop()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 {
                    group.addTask {
                        for _ in 0..<200 {
                            let response = try await transport.send(TransportRequest(url: server.url))
                            #expect(response.status == 200)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(await transport.statistics().made <= 17)
        }
    }
#endif
