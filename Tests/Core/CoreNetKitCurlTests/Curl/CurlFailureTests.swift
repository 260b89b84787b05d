#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: faults", .timeLimit(.minutes(10)), .paced)
    struct CurlFailureTests {
        private let transport = CurlTransport()

        private func failure(_ url: URL) async -> TransportError? {
            await #expect(throws: TransportError.self) { try await transport.send(TransportRequest(url: url)) }
        }

        @Test("a refused connection")
        func refused() async throws {
            let error = await failure(try LoopbackServer.refusedURL())
            #expect(error?.code == .cannotConnect)
            #expect(error?.phase == .connect)
            #expect(error?.isSafeToResend == true)
        }

        @Test("an unknown host")
        func unknownHost() async {
            let error = await failure(url("http://nobody.invalid/"))
            #expect(error?.code == .cannotResolveHost)
            #expect(error?.phase == .resolve)
        }

        static let faults: [(LoopbackFault, TransportError.Code, TransportError.Phase)] = [
            (.close(.beforeStatus), .connectionLost, .wait),
            (.reset(.beforeStatus), .connectionLost, .wait),
            (.close(.inBody(5)), .connectionLost, .receive),
            (.reset(.inBody(5)), .connectionLost, .receive),
            (.contentLength(offBy: 3), .connectionLost, .receive),
            (.badChunk, .invalidResponse, .receive),
        ]

        @Test("a truncated or invalid response has its code and phase", arguments: faults)
        func broken(fault: LoopbackFault, code: TransportError.Code, phase: TransportError.Phase) async throws {
            let response: LoopbackResponse
            if case .badChunk = fault { response = .chunks("01234", "56789") } else { response = .text("0123456789") }
            let server = try LoopbackServer { _ in response.fault(fault).closing() }
            let error = await failure(server.url("/"))
            #expect(error?.code == code)
            #expect(error?.phase == phase)
            #expect(error?.isSafeToResend == false)
            #expect(error?.timings.isConnectionReused == false)
        }

        @Test("a server that does not speak HTTP")
        func garbage() async throws {
            let server = try LoopbackServer { _ in .raw("SSH-2.0-OpenSSH_9\r\n") }
            let error = await failure(server.url("/"))
            #expect(error?.code == .invalidResponse)
        }

        @Test("a server that closes each new connection")
        func closedOnAccept() async throws {
            let server = try LoopbackServer()
            server.onConnect { _ in .close }
            let error = await failure(server.url("/"))
            #expect(error?.code == .connectionLost)
        }

        @Test(
            "a dead kept connection is replaced, even for a POST, and the body is sent from its start",
            arguments: [0, 10, 40_000, 80_000, 300_000]
        )
        func deadConnection(count: Int) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            for _ in 0..<4 {
                let body = RequestBody.bytes(Data(repeating: 1, count: count))
                let response = try await transport.send(
                    TransportRequest(method: .post, url: server.url("/"), body: body)
                )
                #expect(response.status == 200)
                server.closeConnections()
                try await server.wait { $0.open == 0 }
            }
            #expect(server.requests.count == 4)
            #expect(server.requests.allSatisfy { $0.body.count == count })
        }

        @Test("a kept connection reset by the next request is replaced once")
        func resetOnReuse() async throws {
            let server = try LoopbackServer { request in
                request.index == 1 ? .text("x").fault(.reset(.beforeStatus)) : .text("ok")
            }
            for _ in 0..<2 {
                let response = try await transport.send(TransportRequest(url: server.url("/")))
                #expect(response.body.data == Data("ok".utf8))
            }
            #expect(server.requests.count == 3)
        }
    }
#endif
