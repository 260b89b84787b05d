#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: the idle limit among other exchanges", .timeLimit(.minutes(10)), .paced)
    struct IdleTests {
        @Test("counts from the last byte, not from the turn before it")
        func sinceLastByte() async throws {
            let path = "/tmp/idle-\(UInt32.random(in: .min ... .max))"
            let server = try LoopbackServer(on: .unixSocket(path), tickInterval: .milliseconds(700)) { _ in
                .text(String(repeating: "x", count: 500)).fault(.drip(200))
            }
            let limits = Timeouts(firstByte: nil, idle: .milliseconds(1200))
            let request = TransportRequest(url: server.url("/"), timeouts: limits)
            let response = try await CurlTransport.made { $0.unixSocket = path }.send(request)
            #expect(response.body.data?.count == 500)
        }

        @Test("expires for one stalled stream among 64 that share an HTTP/2 connection", .needsNginx)
        func stalledStream() async throws {
            let server = try LoopbackServer(recording: .off, tickInterval: .milliseconds(50)) { request in
                switch request.path {
                case "/stall": .text("0123456789").fault(.stall(.inBody(5)))
                case "/drip": .text(String(repeating: "x", count: 1_000_000)).fault(.drip(256))
                default: .text("ok")
                }
            }
            let port = try FreePort.find()
            let nginx = try NginxServer(
                """
                server {
                    listen 127.0.0.1:\(port) ssl http2;
                    location / { proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1; proxy_buffering off; }
                }
                """
            )
            let transport = CurlTransport.made { $0.tls.verifiesServer = false }
            let base = "https://127.0.0.1:\(port)"
            // Each handle has already had an exchange on the connection.
            try await concurrently(64) { _ in try await transport.text(url(base + "/")) }
            let (moving, mark) = AsyncStream.makeStream(of: Void.self)
            let beside = (0..<63).map { _ in
                Task {
                    let request = TransportRequest(url: url(base + "/drip"), timeouts: .unlimited)
                    var chunks = try await transport.stream(request).makeAsyncIterator()
                    if try await chunks.next() != nil { mark.yield() }
                    while try await chunks.next() != nil {}
                }
            }
            // The stalled one begins while all others move.
            var count = 0
            for await _ in moving {
                count += 1
                if count == beside.count { break }
            }
            let limits = Timeouts(firstByte: nil, idle: .seconds(1), total: .seconds(10))
            let error = await transport.error(of: TransportRequest(url: url(base + "/stall"), timeouts: limits))
            #expect(error?.message.contains("nothing sent or received") == true)
            withExtendedLifetime(nginx) {}
            for task in beside { task.cancel() }
            for task in beside { _ = await task.result }
        }
    }

    /// The port of the server of `.ci/peers/run idle`, which starts this test in a process of its own.
    private let idlePort = ProcessInfo.processInfo.environment["IDLE_SERVER_PORT"].flatMap { Int($0) }

    @Suite(
        "Curl: the memory of kept connections",
        .enabled(if: idlePort != nil, "run by .ci/proofs idle-connections"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct IdleMemoryTests {
        private static let hosts = 100
        private static let connections = 100

        @Test("ten thousand idle ones take at most 2 kB each in total")
        func memory() async throws {
            let transport = CurlTransport.made() {
                $0.connectionsPerHost = Self.connections
                $0.totalConnections = 2 * Self.hosts * Self.connections
                $0.idleConnectionLifetime = .seconds(600)
            }
            // As many at once as one address has connections: the server sends nothing before all of them are there.
            func open(_ host: Int) async throws {
                let place = url("http://127.0.1.\(host + 1):\(idlePort ?? 0)/")
                try await concurrently(Self.connections) { _ in try await transport.text(place) }
            }
            let first = 5
            for host in 0..<first { try await open(host) }
            let before = FuzzMemory.resident
            for host in first..<Self.hosts { try await open(host) }
            let statistics = await transport.statistics()
            #expect(statistics.idle == Self.hosts * Self.connections && statistics.open == statistics.idle)
            let each = (FuzzMemory.resident - before) / ((Self.hosts - first) * Self.connections)
            print("idle connections: \(statistics.idle), \(each) bytes each")
            #expect(each <= 2048)
            await transport.shutdown()
        }
    }
#endif
