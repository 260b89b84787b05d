#if os(Linux)
    import CoreNetKitLoopback
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import Foundation
    import TestPace
    import Testing

    /// An exchange that ends while the loop continues it: its handle and its place are returned once.
    @Suite("Curl: exchanges end once", .timeLimit(.minutes(10)), .paced)
    struct CurlEndTests {
        /// Content that a slow reader delays, and that turns out to be broken when reading continues.
        private static let broken: Data = {
            var content = Gzip.zeros(3_000_000)
            let last = content.endIndex - 8
            content[last] ^= 0xFF
            return content
        }()

        @Test("a stream that breaks when its reader continues returns one handle and one place")
        func brokenStream() async throws {
            let server = try LoopbackServer { request in
                if request.target == "/broken" {
                    return .data(Self.broken, type: "text/plain").header("Content-Encoding", "gzip")
                }
                return .text(request.target)
            }
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = 4
            configuration.decompression.ratio = 1000
            let transport = CurlTransport(configuration: configuration)
            for round in 0..<8 {
                let error = await #expect(throws: TransportError.self) {
                    let url = server.url("/broken")
                    let response = try await transport.send(TransportRequest(url: url, delivery: .stream))
                    _ = try await response.body.collect()
                }
                #expect(error?.code == .decompressionFailed)
                // A handle returned twice would be given to two of these.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let target = "/\(round)/\(number)"
                            let response = try await transport.send(TransportRequest(url: server.url(target)))
                            #expect(response.body.data == Data(target.utf8))
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(await transport.statistics().running == 0)
            }
        }

        @Test("a stream released while it waits returns one handle and one place")
        func droppedStream() async throws {
            let server = try LoopbackServer(recording: .off) { request in
                request.target == "/long" ? .data(Data(count: 3_000_000), type: "text/plain") : .text(request.target)
            }
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = 2
            let transport = CurlTransport(configuration: configuration)
            for round in 0..<8 {
                do {
                    let url = server.url("/long")
                    let response = try await transport.send(TransportRequest(url: url, delivery: .stream))
                    guard case .stream(let stream) = response.body else { return #expect(Bool(false), "no stream") }
                    for try await _ in stream { break }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            let target = "/\(round)/\(number)"
                            let response = try await transport.send(TransportRequest(url: server.url(target)))
                            #expect(response.body.data == Data(target.utf8))
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }
#endif
