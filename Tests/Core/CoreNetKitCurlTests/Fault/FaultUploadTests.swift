#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: faults while a body is sent", .timeLimit(.minutes(10)), .paced)
    struct FaultUploadTests {
        private let transport = CurlTransport()

        /// One chunk, then nothing until the gate opens.
        private func hanging(_ gate: LoopbackGate, onWait: @escaping @Sendable () -> Void = {}) -> RequestBody {
            .pieces { number in
                if number == 1 { return Data(repeating: 1, count: 3) }
                onWait()
                try await gate.wait()
                return nil
            }
        }

        @Test(
            "an early refusal ends the call, even if the body still waits for its next chunk",
            arguments: [400, 413, 503]
        )
        func refusedWhileWaiting(status: Int) async throws {
            let server = try LoopbackServer()
            server.onHead(.post, "/") { _ in .text("no", status: status).closing() }
            let request = TransportRequest(method: .post, url: server.url("/"), body: hanging(LoopbackGate()))
            let response = try await transport.send(request)
            #expect(response.status == status && response.body.data == Data("no".utf8))
        }

        @Test(
            "so does one that arrives while libcurl waits for that chunk, and the next call has another connection",
            arguments: [(400, true), (413, false), (503, true), (302, false)]
        )
        func refusedInPause(status: Int, closes: Bool) async throws {
            let (waits, never) = (LoopbackGate(), LoopbackGate())
            let server = try LoopbackServer()
            let refusal = LoopbackResponse.text("no", status: status).fault(.stall(.beforeStatus, until: waits))
            server.onHead(.post, "/") { _ in closes ? refusal.closing() : refusal }
            server.on(.get, "/", .text("next"))
            for delivery in [ResponseDelivery.collect(limit: 100), .stream, .discard] {
                let body = hanging(never) { waits.open() }
                let request = TransportRequest(method: .post, url: server.url("/"), body: body, delivery: delivery)
                let response = try await transport.send(request)
                #expect(response.status == status)
                #expect(try await response.body.collect() == Data("no".utf8))
                let next = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(next.body.data == Data("next".utf8))
            }
        }

        @Test("an early refusal of 100 MB stops the upload", arguments: [false, true])
        func refusedWhileSending(isStream: Bool) async throws {
            let server = try LoopbackServer(recording: .off)
            server.onHead(.post, "/") { _ in .text("no", status: 413).closing() }
            let given = Locked(0)
            let sequence = RequestBody.pieces(length: 100 << 20) { number in
                _ = given.next()
                return number > 100 ? nil : Data(count: 1 << 20)
            }
            let body = isStream ? sequence : .bytes(Data(count: 100 << 20))
            let response = try await transport.send(TransportRequest(method: .post, url: server.url("/"), body: body))
            #expect(response.status == 413 && response.body.data == Data("no".utf8))
            #expect(given.value < 100)
            #expect((response.timings.bytesSent ?? 0) < 100 << 20)
        }

        @Test("a cancelled call releases a body that ignores cancellation")
        func deafBody() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let gate = LoopbackGate()
            let body = RequestBody.pieces { number in
                if number == 1 { return Data([1]) }
                // In its own task, so that cancelling does not reach the wait.
                try await Task.detached { try await gate.wait() }.value
                return nil
            }
            let transport = transport
            let request = TransportRequest(method: .post, url: server.url("/"), body: body)
            let call = Task { try await transport.send(request) }
            try await server.wait { $0.heads == 1 }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
            try await server.wait { $0.open == 0 }
            gate.open()
        }

        @Test("a body that throws half-way leaves no connection that could corrupt the next request")
        func throwsHalfWay() async throws {
            struct Broken: Error {}
            let server = try LoopbackServer { request in .data(request.body) }
            let chunk = Data(repeating: 1, count: 100_000)
            let broken = RequestBody.pieces(length: 1_000_000) { number in
                if number > 3 { throw Broken() }
                return chunk
            }
            for _ in 0..<5 {
                var request = TransportRequest(method: .put, url: server.url("/"), body: broken)
                #expect(await transport.error(of: request)?.code == .requestBodyFailed)
                request.body = .bytes(Data("next".utf8))
                #expect(try await transport.send(request).body.data == Data("next".utf8))
            }
            #expect(server.requests.count == 5)
        }

        @Test(
            "417 to an expectation of 100-continue is one whole response to one request",
            arguments: ["", "Connection: close\r\n"]
        )
        func expectationFailed(field: String) async throws {
            let peer = try RawPeer { peer, connection in
                while let head = peer.head(of: connection) {
                    connection.write("HTTP/1.1 417 No\r\n\(field)Content-Length: 15\r\n\r\nno expectations")
                    if head.contains(": 5000\r\n") { _ = connection.read(5000) }
                }
            }
            for (count, delivery) in [(5000, ResponseDelivery.collect), (100_000, .collect), (100_000, .stream)] {
                let before = peer.requests.count
                let body = RequestBody.bytes(Data(count: count))
                var request = TransportRequest(method: .post, url: peer.url, body: body, delivery: delivery)
                request.headers = ["X-A": "b", "Expect": "100-continue"]
                let response = try await CurlTransport().send(request)
                #expect(response.status == 417)
                #expect(try await response.body.collect() == Data("no expectations".utf8))
                #expect(response.trailers.isEmpty)
                #expect(peer.requests.count == before + 1)
                #expect(peer.requests.last?.components(separatedBy: "Expect: 100-continue\r\n").count == 2)
            }
        }

        @Test("content waits until the server asks for it, or a second", arguments: [true, false])
        func waits(isStream: Bool) async throws {
            let count = 100_000
            for asks in [true, false] {
                let peer = try RawPeer { peer, connection in
                    guard peer.head(of: connection) != nil else { return }
                    if asks {
                        // Nothing comes before it is asked for.
                        guard connection.isIdle(for: 100) else { return }
                        connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                    }
                    guard connection.read(count).count == count else { return }
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                }
                let data = Data(count: count)
                let body = isStream ? RequestBody.chunks([data], length: Int64(count)) : .bytes(data)
                var request = TransportRequest(method: .post, url: peer.url, body: body)
                request.headers = ["Expect": "100-continue"]
                let response = try await CurlTransport().send(request)
                #expect(response.status == 200)
                #expect(response.interim.map(\.status) == (asks ? [100] : []))
            }
        }

        @Test("a HEAD with content whose response expands ends once")
        func bombForHead() async throws {
            let bomb = Gzip.zeros(20_000_000)
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            let size = String(bomb.count, radix: 16)
            let reply = Data("\(head)\(size)\r\n".utf8) + bomb + Data("\r\n0\r\n\r\n".utf8)
            let server = try LoopbackServer { _ in LoopbackResponse(body: .raw(reply)).closing() }
            for _ in 0..<3 {
                let request = TransportRequest(method: .head, url: server.url("/"), body: .bytes(Data([1])))
                _ = try? await transport.send(request)
            }
            let plain = try LoopbackServer { request in .text(request.path) }
            let texts = try await concurrently(20) { [transport] in try await transport.text(plain.url("/\($0)")) }
            #expect(Set(texts) == Set((0..<20).map { "/\($0)" }))
        }
    }
#endif
