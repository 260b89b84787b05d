#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    @Suite("Curl: numbers from the wire and from a configuration", .timeLimit(.minutes(10)), .paced)
    struct HostileHeadTests {
        @Test(
            "an absurd length ends the exchange, not the process",
            arguments: ["999999999999999999", "9223372036854775807"],
            ["gzip", "identity"]
        )
        func length(value: String, coding: String) async throws {
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(value)\r\n\r\nabc")
            }
            await #expect(throws: TransportError.self) {
                try await CurlTransport().send(TransportRequest(url: server.url("/")))
            }
        }

        @Test("the decompression ratio has no maximum", arguments: [Int.max, Int.min, 0])
        func ratio(ratio: Int) async throws {
            var configuration = CurlTransport.Configuration()
            configuration.decompression.ratio = ratio
            let server = try LoopbackServer { _ in
                .data(Gzip.zeros(3_000_000), type: "text/plain").header("Content-Encoding", "gzip")
            }
            let transport = CurlTransport(configuration: configuration)
            let outcome = await Result { try await transport.send(TransportRequest(url: server.url("/"))) }
            switch outcome {
            case .success(let response): #expect(response.body.data?.count == 3_000_000)
            case .failure(let error): #expect((error as? TransportError)?.code == .responseTooLarge)
            }
            #expect((try? outcome.get()) != nil || ratio < 100)
        }

        @Test("a configuration with extreme numbers works or is refused", arguments: [Int.max, Int.min, 0])
        func configuration(number: Int) async throws {
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = number
            configuration.totalConnections = number
            configuration.loops = number
            configuration.idleConnectionLifetime = .seconds(Int64(number))
            configuration.decompression.limit = Int64(number)
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = CurlTransport(configuration: configuration)
            #expect(try await transport.send(TransportRequest(url: server.url("/"))).status == 200)
        }

        @Test("a negative promised length is refused", arguments: [-1, Int64.min])
        func promise(length: Int64) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let body = RequestBody.stream(length: length) { AsyncThrowingStream { $0.finish() } }
            let error = await #expect(throws: TransportError.self) {
                try await CurlTransport().send(TransportRequest(method: .put, url: server.url("/"), body: body))
            }
            #expect(error?.code == .invalidRequest)
            #expect(server.counts.connections == 0)
        }
    }

    extension Result where Failure == any Error {
        init(_ body: () async throws -> Success) async {
            do { self = .success(try await body()) } catch { self = .failure(error) }
        }
    }
#endif
