#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    @Suite("Curl: resent requests, counted at the server", .timeLimit(.minutes(10)), .paced)
    struct ResendingTests {
        static let requests: [(TransportRequest, Bool)] = {
            let place = url("http://good.test/")
            let bytes = RequestBody.bytes(Data("abc".utf8))
            let once = RequestBody.chunks([Data("abc".utf8)], length: 3)
            return [
                (TransportRequest(url: place), true), (TransportRequest(method: .delete, url: place), true),
                (TransportRequest(method: .put, url: place, body: bytes), true),
                (TransportRequest(method: .put, url: place, body: once), false),
                (TransportRequest(method: .post, url: place, body: bytes), false),
                (TransportRequest(method: .patch, url: place, body: bytes), false),
                (TransportRequest(method: .post, url: place, headers: ["Idempotency-Key": "1"], body: bytes), true),
            ]
        }()

        /// Sends a request on a connection that has served another one, and lets the test wait between the two.
        private func second(
            _ sample: (TransportRequest, Bool),
            to server: LoopbackServer,
            between: () async throws -> Void = {}
        ) async throws -> Result<TransportResponse, any Error> {
            let transport = CurlTransport()
            _ = try await transport.send(TransportRequest(url: server.url("/")))
            try await between()
            var request = sample.0
            request.url = server.url("/")
            return await Result { [request] in try await transport.send(request) }
        }

        /// Whether it was sent again, or lost and not safe to resend.
        private func expect(_ outcome: Result<TransportResponse, any Error>, isRepeated: Bool) {
            switch outcome {
            case .success: #expect(isRepeated)
            case .failure(let error):
                #expect(!isRepeated, "\(error)")
                #expect((error as? TransportError)?.code == .connectionLost)
                #expect((error as? TransportError)?.isSafeToResend == false)
            }
        }

        @Test("HTTP/1.1: a kept connection that ends after the request", arguments: requests, [true, false])
        func lostBehind(sample: (TransportRequest, Bool), isReset: Bool) async throws {
            let server = try LoopbackServer { request in
                request.index == 1
                    ? .text("x").fault(isReset ? .reset(.beforeStatus) : .close(.beforeStatus)) : .text("ok")
            }
            expect(try await second(sample, to: server), isRepeated: sample.1)
            #expect(server.counts.requests == (sample.1 ? 3 : 2))
        }

        @Test("HTTP/1.1: a response that has begun is never requested again", arguments: requests)
        func lostInside(sample: (TransportRequest, Bool)) async throws {
            let server = try LoopbackServer { request in
                request.index == 1 ? .text("0123456789").fault(.reset(.inBody(3))) : .text("ok")
            }
            expect(try await second(sample, to: server), isRepeated: false)
            #expect(server.counts.requests == 2)
        }

        @Test("HTTP/1.1: a kept connection that the server has closed meanwhile costs nothing", arguments: requests)
        func closedBefore(sample: (TransportRequest, Bool)) async throws {
            let server = try LoopbackServer { _ in .text("ok").fault(.close(.atEnd)) }
            let outcome = try await second(sample, to: server) { try await server.wait { $0.open == 0 } }
            #expect(try outcome.get().status == 200)
            #expect(server.counts.requests == 2)
        }

        @Test(
            "a kept connection that died is replaced, even for a POST",
            arguments: [0, 10, 40_000, 300_000]
        )
        func dead(count: Int) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = CurlTransport()
            let body = RequestBody.bytes(Data(repeating: 1, count: count))
            let request = TransportRequest(method: .post, url: server.url("/"), body: body)
            for _ in 0..<4 {
                #expect(try await transport.send(request).status == 200)
                server.closeConnections()
                try await server.wait { $0.open == 0 }
            }
            #expect(server.requests.count == 4)
            #expect(server.requests.allSatisfy { $0.body.count == count })
        }

        @Test("HTTP/2: a connection that ends after the request", .needsNginx, arguments: requests)
        func http2(sample: (TransportRequest, Bool)) async throws {
            let gate = LoopbackGate()
            let executions = Locked(0)
            let server = try LoopbackServer { request in
                guard request.path == "/act" else { return .text("ok") }
                return executions.next() == 1 ? .text("x").fault(.stall(.beforeStatus, until: gate)) : .text("again")
            }
            let nginx = try NginxServer(
                """
                server {
                    listen unix:DIR/tls ssl http2;
                    location / { proxy_pass http://127.0.0.1:\(server.port); proxy_http_version 1.1;
                                 proxy_request_buffering on; proxy_ignore_client_abort on; }
                }
                """
            )
            let transport = try CurlTransport.trusting(nginx)
            let first = try await transport.send(TransportRequest(url: url("https://good.test/")))
            #expect(first.timings.httpVersion == "2")
            var (request, isRepeated) = sample
            request.url = url("https://good.test/act")
            let call = Task { [request] in try await transport.send(request) }
            while executions.value == 0 { await Task.yield() }
            nginx.killWorkers()
            let outcome = await call.result
            #expect(executions.value == (isRepeated ? 2 : 1))
            expect(outcome, isRepeated: isRepeated)
        }
    }

    extension NginxServer {
        /// Ends the processes that have the connections, at once; the master starts new ones.
        func killWorkers() {
            let text = try? String(contentsOf: directory.appending(path: "pid"), encoding: .utf8)
            guard let master = text?.trimmingCharacters(in: .whitespacesAndNewlines),
                let children = try? String(contentsOfFile: "/proc/\(master)/task/\(master)/children", encoding: .utf8)
            else { return }
            for child in children.split(separator: " ").compactMap({ pid_t($0) }) { kill(child, SIGKILL) }
        }
    }
#endif
