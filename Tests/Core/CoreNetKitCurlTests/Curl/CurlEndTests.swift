#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    /// An exchange that ends while the loop continues it: its handle and its place are returned once.
    @Suite("Curl: exchanges end once", .timeLimit(.minutes(10)), .paced)
    struct CurlEndTests {
        /// Content that a slow reader delays, and that turns out to be broken when reading continues.
        private static let broken: Data = {
            var content = Gzip.zeros(3_000_000)
            let last = content.endIndex - 8
            content[last] ^= 0xFF
            return content
        }()

        /// A handle returned twice would be given to two of these.
        private func sendOthers(_ count: Int, _ round: Int, _ server: LoopbackServer, _ transport: CurlTransport)
            async throws
        {
            try await concurrently(count) { number in
                let target = "/\(round)/\(number)"
                let text = try await transport.text(server.url(target))
                #expect(text == target)
            }
        }

        @Test("a stream that breaks when its reader continues returns one handle and one place")
        func brokenStream() async throws {
            let server = try LoopbackServer { request in
                if request.target == "/broken" {
                    return .data(Self.broken, type: "text/plain").header("Content-Encoding", "gzip")
                }
                return .text(request.target)
            }
            let transport = CurlTransport.made {
                $0.connectionsPerHost = 4
                $0.decompression.ratio = 1000
            }
            for round in 0..<8 {
                let stream = try await transport.stream(TransportRequest(url: server.url("/broken")))
                let error = await #expect(throws: TransportError.self) { for try await _ in stream {} }
                #expect(error?.code == .decompressionFailed)
                try await sendOthers(8, round, server, transport)
                #expect(await transport.statistics().running == 0)
            }
        }

        @Test("a stream released while it waits returns one handle and one place")
        func droppedStream() async throws {
            let server = try LoopbackServer(recording: .off) { request in
                request.target == "/long" ? .data(Data(count: 3_000_000), type: "text/plain") : .text(request.target)
            }
            let transport = CurlTransport.made { $0.connectionsPerHost = 2 }
            for round in 0..<8 {
                do {
                    for try await _ in try await transport.stream(TransportRequest(url: server.url("/long"))) { break }
                }
                try await sendOthers(6, round, server, transport)
            }
        }
    }

    @Suite("A transport that has ended", .timeLimit(.minutes(10)), .paced)
    struct LoopEndTests {
        enum Call: CaseIterable { case none, whole, stream, unread, cancelled, two }

        private struct Watched {
            weak let loop: CurlLoop?
            weak let sockets: SocketSet?

            init(_ transport: CurlTransport) {
                (loop, sockets) = (transport.loops.first, transport.loops.first?.shared.sockets)
            }
        }

        @Test(
            "leaves nothing in memory, and no descriptor: kept connections are let go of, too",
            arguments: [true, false],
            Call.allCases
        )
        func leavesNothing(isShutDown: Bool, call: Call) async throws {
            let server = try LoopbackServer { _ in .text(String(repeating: "x", count: 100_000)) }
            let watched = try await use(call, server, isShutDown: isShutDown)
            // Its thread, which ends by itself, has the last reference.
            let end = ContinuousClock.now + .seconds(20)
            while watched.loop != nil || watched.sockets != nil, ContinuousClock.now < end { await Task.yield() }
            #expect(watched.loop == nil && watched.sockets == nil)
        }

        private func use(_ call: Call, _ server: LoopbackServer, isShutDown: Bool) async throws -> Watched {
            let transport = CurlTransport()
            let request = TransportRequest(url: server.url)
            let stream = TransportRequest(url: server.url, delivery: .stream)
            switch call {
            case .none: break
            case .whole: _ = try await transport.send(request)
            case .stream:
                let response = try await transport.send(stream)
                if case .stream(let content) = response.body { for try await _ in content {} }
            case .unread: _ = try await transport.send(stream)
            case .cancelled:
                let task = Task { try await transport.send(request) }
                task.cancel()
                _ = await task.result
            case .two:
                async let one = transport.send(request)
                async let other = transport.send(request)
                _ = try await (one, other)
            }
            if isShutDown { await transport.shutdown() }
            return Watched(transport)
        }
    }

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
            // Not by `isAsleep` alone, which stays until the turn after the sleep takes its commands.
            while !loop.stateLock.withLock({ _ in loop.sleepsUntil > 0 }) { await Task.yield() }
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
            try await concurrently(16) { _ in
                for _ in 0..<200 {
                    let status = try await transport.send(TransportRequest(url: server.url)).status
                    #expect(status == 200)
                }
            }
            #expect(await transport.statistics().connectionsCreated <= 17)
        }
    }
#endif
