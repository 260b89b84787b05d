#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    @Suite("Curl: connections and their limits", .timeLimit(.minutes(10)), .paced)
    struct CurlConnectionTests {
        @Test("hundreds of exchanges at a time, on one loop or several", arguments: [1, 3])
        func many(loops: Int) async throws {
            let transport = CurlTransport.made { $0.loops = loops }
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let request = TransportRequest(url: server.url("/"))
            let statuses = try await concurrently(500) { _ in try await transport.send(request).status }
            #expect(statuses.allSatisfy { $0 == 200 })
            #expect(server.counts.connections <= 66)
        }

        @Test("closes unused connections")
        func idle() async throws {
            let transport = CurlTransport.made { $0.idleConnectionLifetime = .milliseconds(50) }
            let server = try LoopbackServer { _ in .text("ok") }
            for _ in 0..<2 {
                _ = try await transport.send(TransportRequest(url: server.url("/")))
                try await server.wait { $0.open == 0 }
            }
            #expect(server.counts.connections == 2)
        }

        @Test("a program started meanwhile does not inherit connections, which it would keep open")
        func inheritance() async throws {
            let transport = CurlTransport()
            let server = try LoopbackServer { _ in .text("ok") }
            _ = try await transport.send(TransportRequest(url: server.url("/")))
            // Lives until its input ends.
            let program = try #require(popen("cat", "w"))
            defer { pclose(program) }
            await transport.shutdown()
            try await server.wait { $0.open == 0 }
        }

        @Test("speaks IPv6")
        func ipv6() async throws {
            let server = try LoopbackServer(on: .ipv6) { _ in .text("ok") }
            let response = try await CurlTransport().send(TransportRequest(url: server.url("/")))
            #expect(response.timings.remoteAddress == "[::1]:\(server.port)")
        }

        @Test("shutting down fails running and waiting exchanges, and refuses later ones")
        func shutdown() async throws {
            let transport = CurlTransport.made { $0.connectionsPerHost = 1 }
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus)) }
            let tasks = (0..<3).map { _ in transport.call(server.url("/")) }
            _ = try await server.waitForRequests(1)
            await transport.shutdown()
            try await server.wait { $0.open == 0 }
            for task in tasks {
                let error = await #expect(throws: TransportError.self) { try await task.value }
                #expect(error?.code == .shutDown)
            }
            let late = await transport.error(of: TransportRequest(url: server.url("/")))
            #expect(late?.code == .shutDown)
            await transport.shutdown()
        }
    }

    @Suite("Curl: timings", .timeLimit(.minutes(10)), .paced)
    struct CurlTimingsTests {
        @Test("a new connection has all parts, a kept one only those that happened")
        func parts() async throws {
            let transport = CurlTransport()
            let server = try LoopbackServer { _ in .text("0123456789").delayed(by: .milliseconds(20)) }
            let request = TransportRequest(method: .post, url: server.url("/"), body: .bytes(Data("abc".utf8)))
            let first = try await transport.send(request).timings
            let second = try await transport.send(request).timings
            #expect(first.isConnectionReused == false && second.isConnectionReused == true)
            #expect(first.connect != nil && second.connect == nil)
            #expect(first.tls == nil)
            #expect(first.connectionID == second.connectionID && first.connectionID != nil)
            #expect(first.httpVersion == "1.1")
            #expect(first.remoteAddress == "127.0.0.1:\(server.port)")
            for timings in [first, second] {
                #expect((timings.firstByte ?? .zero) >= .milliseconds(15))
                let sum = TransportError.Phase.all.compactMap { timings[keyPath: $0.row.length] }.reduce(.zero, +)
                #expect(sum <= (timings.total ?? .zero) + .milliseconds(1))
            }
        }

        @Test("counts the bytes of the wire both ways", arguments: [0, 3, 50_000])
        func bytes(count: Int) async throws {
            let server = try LoopbackServer { _ in .raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
            let body = RequestBody.bytes(Data(repeating: 1, count: count))
            let request = TransportRequest(method: .post, url: server.url("/"), body: body)
            let timings = try await CurlTransport().send(request).timings
            #expect(timings.bytesSent == Int64(server.requests[0].raw.count))
            #expect(timings.bytesReceived == 40)
        }

        @Test("an error has them too")
        func onError() async throws {
            let server = try LoopbackServer { _ in .text("0123456789").fault(.close(.inBody(5))) }
            let error = await CurlTransport().error(of: TransportRequest(url: server.url("/")))
            #expect(error?.timings.connectionID != nil)
            #expect(error?.timings.firstByte != nil)
        }
    }

    @Suite("Curl: URLs of Unix domain sockets", .timeLimit(.minutes(10)), .paced)
    struct UnixSocketURLTests {
        private let folder = "/tmp/curl-\(UInt32.random(in: .min ... .max))"

        private func url(_ path: String, _ rest: String = "/", isSecure: Bool = false) throws -> URL {
            let name = path.replacingOccurrences(of: "/", with: "%2F")
            return try #require(URL(string: "http\(isSecure ? "s" : "")+unix://\(name)\(rest)"))
        }

        @Test("one transport reaches sockets and the network, each over its own kept connection")
        func pools() async throws {
            let (first, second) = (folder + "-a.sock", folder + "-A.sock")
            let servers = try [first, second].map { path in
                try LoopbackServer(on: .unixSocket(path)) { .text("\(path) \($0.target) \($0.headers["Host"] ?? "")") }
            }
            let tcp = try LoopbackServer { .text("tcp \($0.target)") }
            let transport = CurlTransport.made()
            for round in 1...3 {
                for path in [first, second] {
                    let response = try await transport.send(TransportRequest(url: try url(path, "/v1?n=\(round)#part")))
                    #expect(response.body.data == Data("\(path) /v1?n=\(round) localhost".utf8))
                    #expect(response.timings.isConnectionReused == (round > 1))
                }
                #expect(try await transport.text(tcp.url("/\(round)")) == "tcp /\(round)")
            }
            #expect((servers + [tcp]).map(\.counts.connections) == [1, 1, 1])
        }

        @Test("a path without a slash is the root, and a closed connection is opened again at the same socket")
        func again() async throws {
            let server = try LoopbackServer(on: .unixSocket(folder)) { .text($0.target).closing() }
            let transport = CurlTransport.made()
            for (rest, target) in [("", "/"), ("?a=b", "/?a=b"), ("/x", "/x")] {
                #expect(try await transport.text(try url(folder, rest)) == target)
            }
            #expect(server.counts.connections == 3)
        }

        @Test("bypasses proxies and the configuration's socket")
        func proxies() async throws {
            let server = try LoopbackServer(on: .unixSocket(folder)) { _ in .text("socket") }
            let proxy = try LoopbackServer { _ in .text("proxy") }
            for change: (inout CurlTransport.Configuration) -> Void in [
                { $0.proxy = .server(proxy.url) }, { $0.unixSocket = "/nowhere.sock" },
            ] {
                #expect(try await CurlTransport.made(change).text(try url(folder)) == "socket")
            }
            #expect(server.counts.connections == 2)
            #expect(proxy.counts.connections == 0)
        }

        @Test("without a listener there is no connection, and the error shows only as much of the path as a log may")
        func missing() async throws {
            let path = folder + "/token=canary/s"
            let place = try url(path.replacingOccurrences(of: "=", with: "%3D"))
            let error = await CurlTransport.made().error(of: TransportRequest(url: place))
            #expect(error?.code == .cannotConnect && error?.isSafeToResend == true)
            #expect(error.map { !"\($0)".contains("canary") } == true, "\(String(describing: error))")
        }

        @Test("a path that no socket can have makes no URL")
        func invalid() async throws {
            for text in ["http+unix://run.sock/", "http+unix://%2Frun:80/"] {
                let url = try #require(URL(string: text))
                let error = await CurlTransport.made().error(of: TransportRequest(url: url))
                #expect(error?.code == .invalidRequest)
            }
        }
    }
#endif
