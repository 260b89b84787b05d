#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: faults while a body is sent", .timeLimit(.minutes(10)), .paced)
    struct FaultUploadTests {
        private let transport = CurlTransport()

        /// One chunk, then nothing until the gate opens.
        private func hanging(
            _ gate: LoopbackGate,
            first: Int = 3,
            onWait: @escaping @Sendable () -> Void = {}
        ) -> RequestBody {
            .stream {
                let asked = Counter()
                return AsyncThrowingStream(unfolding: {
                    asked.add()
                    if asked.value == 1 { return Data(repeating: 1, count: first) }
                    onWait()
                    try await gate.wait()
                    return nil
                })
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
            #expect(response.status == status)
            #expect(response.body.data == Data("no".utf8))
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
            let given = Counter()
            let body: RequestBody
            if isStream {
                body = .stream(length: 100 << 20) {
                    let asked = Counter()
                    return AsyncThrowingStream(unfolding: {
                        given.add()
                        asked.add()
                        return asked.value > 100 ? nil : Data(count: 1 << 20)
                    })
                }
            } else {
                body = .bytes(Data(count: 100 << 20))
            }
            let response = try await transport.send(TransportRequest(method: .post, url: server.url("/"), body: body))
            #expect(response.status == 413)
            #expect(response.body.data == Data("no".utf8))
            #expect(given.value < 100)
            #expect((response.timings.bytesSent ?? 0) < 100 << 20)
        }

        @Test("a cancelled call releases a body that ignores cancellation")
        func deafBody() async throws {
            let server = try LoopbackServer(recording: .off) { _ in .text("ok") }
            let gate = LoopbackGate()
            let body = RequestBody.stream {
                let asked = Counter()
                return AsyncThrowingStream(unfolding: {
                    asked.add()
                    if asked.value == 1 { return Data([1]) }
                    // Its own task, so that cancelling does not reach the wait.
                    try await Task.detached { try await gate.wait() }.value
                    return nil
                })
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
            let broken = RequestBody.stream(length: 1_000_000) {
                let asked = Counter()
                return AsyncThrowingStream(unfolding: {
                    asked.add()
                    if asked.value > 3 { throw Broken() }
                    return chunk
                })
            }
            for _ in 0..<5 {
                let error = await #expect(throws: TransportError.self) {
                    try await transport.send(TransportRequest(method: .put, url: server.url("/"), body: broken))
                }
                #expect(error?.code == .requestBodyFailed)
                let request = TransportRequest(method: .put, url: server.url("/"), body: .bytes(Data("next".utf8)))
                #expect(try await transport.send(request).body.data == Data("next".utf8))
            }
            #expect(server.requests.count == 5)
        }

        @Test("417 to an expectation of 100-continue is one whole response, or the request again without it")
        func expectationFailed() async throws {
            let server = try LoopbackServer { request in .text("got \(request.bodyLength)") }
            server.onHead(.post, "/") { request in
                request.headers["Expect"] == nil ? nil : .text("no expectations", status: 417)
            }
            let request = TransportRequest(
                method: .post,
                url: server.url("/"),
                headers: ["Expect": "100-continue"],
                body: .bytes(Data(count: 5000))
            )
            let response = try await transport.send(request)
            let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
            let isWhole = (response.status, text) == (417, "no expectations")
            let isAgain = (response.status, text) == (200, "got 5000")
            #expect(isWhole || isAgain, "\(response.status) \(text)")
            #expect(response.headers["Content-Length"] == "\(text.utf8.count)")
        }

        @Test("100 Continue is waited for if requested, and not for ever")
        func continues() async throws {
            let server = try LoopbackServer { request in .text("got \(request.bodyLength)") }
            let request = TransportRequest(
                method: .post,
                url: server.url("/"),
                headers: ["Expect": "100-continue"],
                body: .bytes(Data(count: 50_000))
            )
            #expect(try await transport.send(request).body.data == Data("got 50000".utf8))
        }

        @Test("a HEAD with content whose response expands ends once")
        func bombForHead() async throws {
            let bomb = Gzip.zeros(20_000_000)
            let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
            let size = String(bomb.count, radix: 16)
            let answer = Data("\(head)\(size)\r\n".utf8) + bomb + Data("\r\n0\r\n\r\n".utf8)
            let server = try LoopbackServer { _ in
                LoopbackResponse(body: .raw(answer)).closing()
            }
            for _ in 0..<3 {
                let request = TransportRequest(method: .head, url: server.url("/"), body: .bytes(Data([1])))
                _ = try? await transport.send(request)
            }
            let plain = try LoopbackServer { request in .text(request.path) }
            let texts = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<20 {
                    group.addTask { [transport] in
                        let response = try await transport.send(TransportRequest(url: plain.url("/\(index)")))
                        return String(decoding: response.body.data ?? Data(), as: UTF8.self)
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(texts == Set((0..<20).map { "/\($0)" }))
        }
    }
#endif
