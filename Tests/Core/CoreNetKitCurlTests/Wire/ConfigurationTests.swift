#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: configuration", .timeLimit(.minutes(10)), .paced)
    struct ConfigurationTests {
        @Test("shows no secret, however it is printed")
        func canary() {
            var configuration = CurlTransport.Configuration()
            configuration.proxy = .server(
                url("http://canary-user:canary-word@proxy.test:1/"),
                credentials: .init(user: "canary-name", password: "canary-password")
            )
            let bytes = Data("canary".utf8)
            configuration.tls.identity = .pem(certificate: bytes, key: bytes, password: "canary-key")
            let other = TransportTLS.Identity.files(certificate: "c.pem", key: "k.pem", password: "canary-key")
            for value: Any in [
                configuration, configuration.proxy, configuration.tls, configuration.tls.identity as Any, other,
                CurlTransport(configuration: configuration),
            ] {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(reflecting: value), dumped] { #expect(!text.contains("canary")) }
            }
            #expect("\(configuration.proxy)".contains("proxy.test"))
            #expect("\(other)".contains("k.pem"))
        }

        @Test("its thread leaves signals to the program, except for its own faults and the profiler's")
        func signals() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: server.url("/")))
            let masks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").compactMap { task in
                let place = "/proc/self/task/\(task)"
                let name = try? String(contentsOfFile: place + "/comm", encoding: .utf8)
                guard name == "CurlTransport\n" else { return UInt64?.none }
                let status = try? String(contentsOfFile: place + "/status", encoding: .utf8)
                let line = status?.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
                return line.flatMap { UInt64($0.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) }
            }
            #expect(!masks.isEmpty)
            func bit(_ signal: Int32) -> UInt64 { 1 << UInt64(signal - 1) }
            let open = [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS, SIGPROF].reduce(0) { $0 | bit($1) }
            let blocked = [SIGTERM, SIGINT, SIGALRM, SIGUSR1, SIGCHLD].reduce(0) { $0 | bit($1) }
            for mask in masks {
                #expect(mask & open == 0)
                #expect(mask & blocked == blocked)
            }
            withExtendedLifetime(transport) {}
        }

        @Test("an endless number of hosts wait and run in turn, and each request gets its own response")
        func hosts() async throws {
            let server = try LoopbackServer(recording: .off) { .text($0.headers["Host"] ?? "") }
            let transport = CurlTransport.made {
                $0.totalConnections = 4
                $0.connectionsPerHost = 1
                $0.proxy = .server(server.url)
            }
            try await concurrently(1500) { number in
                let place = url("http://host-\(number % 700).test/")
                let request = TransportRequest(url: place, timeouts: .unlimited)
                let call = Task { try await transport.send(request) }
                if number % 7 == 3 { return await call.cancelAndWait() }
                let content = try await call.value.body.data
                #expect(content == Data("host-\(number % 700).test".utf8))
            }
            #expect(server.counts.open <= 4)
        }
    }

    @Suite("Curl: TLS sessions and revocation", .needsNginx, .timeLimit(.minutes(10)), .paced)
    struct SharedTLSTests {
        @Test("a second connection resumes the first one's session")
        func session() async throws {
            let gate = LoopbackGate()
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus, until: gate)) }
            let nginx = try NginxServer(
                """
                server {
                    listen unix:DIR/tls ssl;
                    ssl_session_cache shared:sessions:1m;
                    location /stall { proxy_pass http://127.0.0.1:\(server.port); }
                    location / { return 200 "$ssl_session_reused"; }
                }
                """
            )
            let transport = try CurlTransport.trusting(nginx)
            let first = try await transport.send(TransportRequest(url: url("https://good.test/")))
            #expect(first.body.data == Data(".".utf8))
            let stalled = transport.call(url("https://good.test/stall"))
            try await server.wait { $0.requests == 1 }
            let second = try await transport.send(TransportRequest(url: url("https://good.test/")))
            #expect(second.timings.isConnectionReused == false)
            #expect(second.body.data == Data("r".utf8))
            gate.open()
            _ = try await stalled.value
        }
    }
#endif
