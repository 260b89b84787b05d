#if os(Linux)
    @testable import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import TestPace
    import Testing

    @Suite("A transport that has ended", .timeLimit(.minutes(10)), .paced)
    struct LoopEndTests {
        /// What was called before the end.
        enum Call: CaseIterable { case none, whole, stream, unread, cancelled, two }

        /// What holds a loop's two descriptors.
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
#endif
