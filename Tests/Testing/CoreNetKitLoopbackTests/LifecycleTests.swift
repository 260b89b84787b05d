import TestSupport

@Suite("Loopback life", .timeLimit(.minutes(10)), .serialized, .paced)
struct LifecycleTests {
    static let everyAddress: [LoopbackAddress] = [
        .ipv4, .ipv6, .unixSocket("/tmp/loopback-\(UInt64.random(in: 0 ... .max)).sock"),
    ]

    @Test("it listens on IPv4, IPv6 and Unix domain sockets, and stops when told to", arguments: everyAddress)
    func addresses(_ address: LoopbackAddress) async throws {
        let server = try LoopbackServer(on: address) { _ in .text("hello") }
        let client = try await exchange(server, "GET / HTTP/1.1\r\n\r\n") { client in
            let body = try client.readResponse().body
            #expect(body == "hello")
            return client
        }
        server.stop()
        #expect(try await onThread { client.readToEnd().ending } != .timedOut)
        #expect(throws: RawClient.Failure.self) { try RawClient(server) }
        if case .unixSocket(let path) = address { #expect(!FileManager.default.fileExists(atPath: path)) }
        server.stop()
    }

    @Test(
        "a path that is too long or empty is an error that says so",
        arguments: ["", String(repeating: "x", count: 200)]
    )
    func badPaths(_ path: String) {
        let error = #expect(throws: LoopbackError.self) { try LoopbackServer(on: .unixSocket(path)) }
        #expect(error?.description.contains("path") == true)
    }

    @Test("its URLs lead to it")
    func urls() throws {
        let server = try LoopbackServer()
        #expect(server.url.absoluteString == "http://127.0.0.1:\(server.port)")
        #expect(server.url("/a?b=c").absoluteString == "http://127.0.0.1:\(server.port)/a?b=c")
        #expect(try LoopbackServer(on: .ipv6).url("x").absoluteString.hasPrefix("http://[::1]:"))
    }

    @Test("a released server closes its connections")
    func release() async throws {
        var server: LoopbackServer? = try LoopbackServer { _ in .text("hello") }
        let client = try RawClient(#require(server))
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await onThread { try client.readResponse().body } == "hello")
        server = nil
        #expect(try await onThread { client.readToEnd().ending } == .closed)
    }

    @Test("connections can be dropped while the server continues")
    func dropping() async throws {
        let server = try LoopbackServer { _ in .ok }
        let client = try RawClient(server)
        try await server.wait { $0.open == 1 }
        server.closeConnections()
        #expect(try await onThread { client.readToEnd().ending } == .closed)
        try await server.waitForDisconnect(of: 0)
        _ = try RawClient(server)
        try await server.wait { $0.connections == 2 }
    }

    @Test("500 concurrent connections are served, each with its own response", arguments: [false, true])
    func manyConnections(_ portable: Bool) async throws {
        let server = try LoopbackServer(portable: portable) { .text($0.path) }
        let clients = try await onThread { try (0..<500).map { _ in try RawClient(server) } }
        let wrong: Int? = try await onThread {
            for round in 0..<4 {
                for (index, client) in clients.enumerated() {
                    try client.send("GET /\(round)/\(index) HTTP/1.1\r\n\r\n")
                }
                for (index, client) in clients.enumerated() where try client.readResponse().body != "/\(round)/\(index)"
                {
                    return index
                }
            }
            return nil
        }
        #expect(wrong == nil)
        #expect(server.counts.open == 500)
        #expect(server.counts.requests == 2000)
    }

    @Test("stopping closes every socket, with connections in every state")
    func sockets() async throws {
        let server = try LoopbackServer(tickInterval: nil)
        server.on(.get, "/plain", .ok)
        server.on(.get, "/stall", LoopbackResponse.ok.fault(.stall(.inHeaders)))
        server.on(.get, "/slow") { _ in
            try await LoopbackGate().wait()
            return .ok
        }
        server.on(.get, "/drip", LoopbackResponse.ok.fault(.drip(1)))
        server.on(.get, "/delay", LoopbackResponse.ok.delayed(by: .seconds(100)))
        server.on(.get, "/stream", .stream { _ in Data(count: 1 << 16) })
        let clients = try ["/plain", "/stall", "/slow", "/drip", "/delay", "/stream"].map { path in
            let client = try RawClient(server)
            try client.send("GET \(path) HTTP/1.1\r\n\r\n")
            return client
        }
        try await server.waitForRequests(clients.count)
        #expect(OpenDescriptors.count(onPort: server.port) == clients.count + 1)
        server.stop()
        #expect(OpenDescriptors.count(onPort: server.port) == 0)
        #expect(server.counts.open == 0)
        #expect(server.counts.serverCloses == clients.count)
    }

    @Test("starting and stopping leaves no poller and no pipe behind")
    func churn() throws {
        let before = (OpenDescriptors.count(linkedTo: "eventpoll"), OpenDescriptors.count(linkedTo: "pipe:"))
        for _ in 0..<300 { try LoopbackServer().stop() }
        // Suites that run beside this one have servers too, but not hundreds.
        #expect(OpenDescriptors.count(linkedTo: "eventpoll") - before.0 < 200)
        #expect(OpenDescriptors.count(linkedTo: "pipe:") - before.1 < 200)
    }

    @Test("300 handlers wait at once, without a thread each")
    func manyWaitingHandlers() async throws {
        let gate = LoopbackGate()
        let server = try LoopbackServer { request in
            try await gate.wait()
            return .text(request.path)
        }
        let clients = try (0..<300).map { index in
            let client = try RawClient(server)
            try client.send("GET /\(index) HTTP/1.1\r\n\r\n")
            return client
        }
        try await server.waitForRequests(300)
        gate.open()
        let paths = try await onThread { try clients.map { try $0.readResponse().body } }
        #expect(paths == (0..<300).map { "/\($0)" })
    }

    @Test("a handler may stop its own server")
    func stopFromHandler() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/") { [weak server] _ in
            server?.stop()
            return .ok
        }
        let client = try RawClient(server)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try await onThread { client.readToEnd().ending } == .closed)
    }

    @Test("the task of a handler is cancelled when its client is gone")
    func cancelledHandler() async throws {
        let gate = LoopbackGate()
        let ended = LoopbackGate()
        let server = try LoopbackServer { _ in
            defer { ended.open() }
            try await gate.wait()
            return .ok
        }
        var client: RawClient? = try RawClient(server)
        try client?.send("GET / HTTP/1.1\r\n\r\n")
        try await server.waitForRequests(1)
        client = nil
        try await ended.wait()
        try await server.waitForDisconnect(of: 0)
    }
}
