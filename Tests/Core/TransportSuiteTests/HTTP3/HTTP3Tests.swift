#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    private let isPossible = HTTP3Oracle.isReachable

    @Suite(
        "HTTP/3",
        .serialized,
        .enabled(if: isPossible, "needs .ci/peers/run http3: a libcurl that has it, and a server"),
        .timeLimit(.minutes(10)),
        .paced
    )
    struct HTTP3Tests {
        private let oracle: HTTP3Oracle
        private let transport: CurlTransport

        init() throws {
            oracle = try #require(HTTP3Oracle.here)
            transport = Self.transport(oracle.authorities)
        }

        private static func transport(
            _ authorities: String,
            _ version: CurlTransport.Configuration.HTTPVersion = .http3
        ) -> CurlTransport {
            var configuration = CurlTransport.Configuration()
            configuration.httpVersion = version
            configuration.tls.authorities = .file(authorities)
            configuration.connectionsPerHost = 256
            return CurlTransport(configuration: configuration)
        }

        private func request(
            _ path: String = "/",
            _ method: HTTPMethod = .get,
            body: RequestBody = .empty,
            port: Int? = nil,
            delivery: ResponseDelivery = .collect
        ) throws -> TransportRequest {
            let url = try #require(URL(string: "https://localhost:\(port ?? oracle.quic)\(path)"))
            return TransportRequest(method: method, url: url, body: body, timeouts: Peer.patient, delivery: delivery)
        }

        private func connections() async throws -> Int {
            let response = try await transport.send(request("/connections"))
            return try #require(response.body.data.flatMap { Int(String(decoding: $0, as: UTF8.self)) })
        }

        @Test("requests in a row share one connection; status, fields in their order and content arrive")
        func requests() async throws {
            let before = try await connections()
            for path in ["/", "/404", "/"] {
                let response = try await transport.send(request(path))
                #expect(response.timings.httpVersion == "3")
                #expect(response.timings.isConnectionReused == true)
                #expect(response.status == (path == "/404" ? 404 : 200))
                #expect(response.body.data == Data((path == "/404" ? "nothing" : "hello").utf8))
                #expect(response.headers.filter { $0.name.hasPrefix("x-") }.map(\.value) == ["1", "2", "3"])
            }
            #expect(try await connections() == before)
        }

        @Test("content of every kind is uploaded, and a large one arrives whole")
        func contents() async throws {
            let bytes = Data.numbered(300_000)
            let proof = "POST 300000 \(bytes.reduce(0) { $0 + Int($1) } % 65521)"
            for body in [
                RequestBody.bytes(bytes), .stream { Pieces(bytes) }, .stream(length: 300_000) { Pieces(bytes) },
            ] {
                let response = try await transport.send(request("/echo", .post, body: body))
                #expect(response.body.data == Data(proof.utf8))
                #expect(response.timings.httpVersion == "3")
            }
            let large = try await transport.send(request("/bytes/1048576"))
            #expect(large.body.data == Data((0..<1_048_576).map { UInt8($0 % 251) }))
        }

        @Test("two hundred concurrent requests all get through, over few connections")
        func together() async throws {
            let before = try await connections()
            let versions = try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<200 { group.addTask { try await transport.send(request()).timings.httpVersion } }
                return try await group.reduce(into: [String?]()) { $0.append($1) }
            }
            #expect(versions == Array(repeating: "3", count: 200))
            let made = try await connections() - before
            print("HTTP/3: \(made) more connections for 200 requests at a time")
            // One connection of aioquic has 128 requests at a time.
            #expect(made <= 1)
        }

        @Test("an abandoned stream and a cancelled call leave the others alone")
        func cancelled() async throws {
            let silent = Task { try await transport.send(request("/silent")) }
            let response = try await transport.send(request("/bytes/1048576", delivery: .stream))
            if case .stream(let stream) = response.body { stream.close() }
            silent.cancel()
            await #expect(throws: CancellationError.self) { try await silent.value }
            #expect(try await transport.send(request()).status == 200)
        }

        private struct Broken: Error {}

        @Test(
            "an upload that is cancelled or fails leaves the other calls of its connection alone",
            arguments: [false, true]
        )
        func endedUpload(fails: Bool) async throws {
            let (gate, never) = (LoopbackGate(), LoopbackGate())
            let peer = try Peer(.http3, .text("x").fault(.stall(.beforeStatus, until: gate)))
            let kept = Task { await Outcome { try await peer.send() } }
            try await peer.server().wait { $0.stalls == 1 }
            for _ in 0..<5 {
                let begun = LoopbackGate()
                let body = RequestBody.stream {
                    AsyncThrowingStream<Data, any Error>(unfolding: {
                        begun.open()
                        if fails { throw Broken() }
                        try await never.wait()
                        return nil
                    })
                }
                let upload = Task { await Outcome { try await peer.send(.post, body: body) } }
                try await begun.wait()
                if !fails { upload.cancel() }
                #expect(await upload.value == (fails ? .failure(.requestBodyFailed) : .cancelled))
            }
            gate.open()
            #expect(await kept.value == .response(200, "x"))
        }

        @Test("a server without UDP is reached over TCP, and the response says so")
        func withoutUDP() async throws {
            let response = try await transport.send(request(port: oracle.tcp))
            #expect(response.timings.httpVersion == "1.1")
            #expect(response.body.data == Data("hello".utf8))
        }

        @Test("an unknown authority is refused with its code")
        func untrusted() async throws {
            let other = Self.transport("/etc/ssl/certs/ca-certificates.crt")
            let error = await #expect(throws: TransportError.self) { try await other.send(request()) }
            #expect(error?.code == .certificateUntrusted)
        }

        @Test("dropped UDP costs the first connection a moment, and the next ones nothing")
        func swallowed() async throws {
            var waits: [Duration] = []
            for _ in 0..<4 {
                let start = ContinuousClock.now
                var request = try request(port: oracle.swallowed)
                request.headers["Connection"] = "close"
                let response = try await transport.send(request)
                waits.append(ContinuousClock.now - start)
                #expect(response.timings.httpVersion == "1.1")
                #expect(response.timings.isConnectionReused == false)
            }
            print("HTTP/3: UDP swallowed, four connections: \(waits)")
            // libcurl gives QUIC a tenth of a second before it tries TCP beside it.
            #expect(waits[1...].min().map { $0 < waits[0] } == true)
        }

        @Test("a connection that ends in mid-response fails the call, and the next one has another")
        func cut() async throws {
            for delivery in [ResponseDelivery.collect, .discard, .stream] {
                let error = await #expect(throws: TransportError.self) {
                    _ = try await transport.send(request("/cut", delivery: delivery)).body.collect()
                }
                #expect(error?.code == .connectionLost && error?.phase == .receive, "\(delivery)")
            }
            let response = try await transport.send(request())
            #expect(response.status == 200 && response.timings.httpVersion == "3")
        }

        @Test("after GOAWAY the response arrives, and later calls get through")
        func goaway() async throws {
            let response = try await transport.send(request("/goaway"))
            #expect(response.body.data == Data("hello".utf8))
            for _ in 0..<3 {
                let next = try await transport.send(request())
                #expect(next.status == 200 && next.timings.httpVersion == "3")
            }
        }

        @Test("preferring it begins over TCP, and continues over HTTP/3 once it is offered")
        func offered() async throws {
            let transport = Self.transport(oracle.authorities, .preferHTTP3)
            for version in ["1.1", "3", "3", "3"] {
                #expect(try await transport.send(request(port: oracle.offered)).timings.httpVersion == version)
            }
        }

        @Test("an offer that is not kept costs a moment, once; without an offer no server is asked")
        func brokenOffer() async throws {
            let transport = Self.transport(oracle.authorities, .preferHTTP3)
            for port in [oracle.swallowed, oracle.tcp] {
                for _ in 0..<4 {
                    let response = try await transport.send(request(port: port))
                    #expect(response.timings.httpVersion == "1.1")
                }
            }
        }
    }
#endif
