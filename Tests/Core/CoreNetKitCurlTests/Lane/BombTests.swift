#if os(Linux)
    import CoreNetKitCurl
    import CoreNetKitHTTP
    import CoreNetKitLoopback
    import Foundation
    import TestPace
    import Testing

    /// Seven kinds of coding, three sizes, with a length and in chunks.
    @Suite("42 bombs, on each lane", .timeLimit(.minutes(10)), .paced)
    struct BombTests {
        private static let sizes = [2_000_000, 20_000_000, 200_000_000]

        private func server(_ bomb: Data, _ field: String) throws -> LoopbackServer {
            try LoopbackServer(recording: .off) { request in
                let response: LoopbackResponse =
                    request.path == "/length"
                    ? .data(bomb)
                    : .stream(length: nil) {
                        $0 * 4096 < bomb.count ? Data(bomb.dropFirst($0 * 4096).prefix(4096)) : nil
                    }
                return response.header("Content-Encoding", field)
            }
        }

        @Test(
            "each is refused as a stream and as a file, which is not left; what is collected has a limit of its own",
            arguments: LaneKind.all,
            Bombs.kinds.indices
        )
        func refused(lane: LaneKind, kind: Int) async throws {
            let (_, field, make) = Bombs.kinds[kind]
            let transport = lane.transport()
            for size in Self.sizes {
                let bomb = make(size)
                let server = try server(bomb, field)
                let name = "bomb-\(UInt32.random(in: 0 ... .max))"
                let file = FileManager.default.temporaryDirectory.appending(path: name)
                for path in ["/length", "/chunks"] {
                    for delivery in [ResponseDelivery.collect(limit: 1 << 20), .stream, .file(file)] {
                        let what: Comment = "\(size) bytes, \(path), \(delivery)"
                        var count = 0
                        let error = await #expect(throws: TransportError.self, what) {
                            let request = TransportRequest(url: server.url(path), delivery: delivery)
                            let response = try await transport.send(request)
                            guard case .stream(let stream) = response.body else { return }
                            for try await chunk in stream { count += chunk.count }
                        }
                        #expect(error?.code == .responseTooLarge, what)
                        // The first MiB, and a hundredfold of what has come.
                        #expect(count <= max(1 << 20, 100 * bomb.count) + (1 << 20), what)
                    }
                    // What is discarded is not expanded before.
                    let request = TransportRequest(url: server.url(path), delivery: .discard)
                    #expect(try await transport.send(request).body.data == Data())
                }
                #expect(!FileManager.default.fileExists(atPath: file.path))
            }
        }

        @Test(
            "the same bytes arrive whole where they are collected, or the configuration allows it",
            arguments: LaneKind.all,
            Bombs.kinds.indices
        )
        func allowed(lane: LaneKind, kind: Int) async throws {
            let (_, field, make) = Bombs.kinds[kind]
            let transports = [lane.transport(), lane.transport { $0.decompression.ratio = .max }]
            let server = try server(make(Self.sizes[0]), field)
            for path in ["/length", "/chunks"] {
                for (transport, delivery) in zip(transports, [ResponseDelivery.collect, .stream]) {
                    let response = try await transport.send(.init(url: server.url(path), delivery: delivery))
                    #expect(try await response.body.collect() == Data(count: Self.sizes[0]))
                }
            }
        }
    }
#endif
