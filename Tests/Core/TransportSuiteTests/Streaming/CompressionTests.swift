import TestSupport

@Suite("Every transport: compressed content", .timeLimit(.minutes(10)), .paced)
struct CompressionTests {
    private func reply(_ bytes: Data, _ encoding: String, isChunked: Bool = false) -> LoopbackResponse {
        let reply =
            isChunked
            ? LoopbackResponse(body: .chunks([bytes.prefix(9), bytes.dropFirst(9)]))
            : LoopbackResponse.data(bytes)
        return reply.header("Content-Encoding", encoding)
    }

    @Test("decompresses what it claims to, with and without a length", arguments: Subject.wires)
    func samples(_ subject: Subject) async throws {
        let names: [String: TransportCapabilities] = ["gzip": .gzip, "deflate": .gzip, "br": .brotli, "zstd": .zstd]
        for (encoding, bytes) in Compressed.samples {
            let capability = try #require(names[encoding])
            guard subject.transport.capabilities.contains(capability) else { continue }
            for isChunked in [false, true] {
                let peer = try Peer(subject, reply(Data(bytes), encoding, isChunked: isChunked))
                let response = try await peer.send()
                #expect(response.body.data == Data(Compressed.text.utf8), "\(encoding)")
                #expect(response.headers["Content-Encoding"] == encoding)
                let offered = try #require(peer.seen.first?.headers["Accept-Encoding"])
                #expect(offered.contains(encoding))
            }
        }
    }

    @Test("delivers it decompressed as a stream and to a file", arguments: Subject.wires)
    func deliveries(_ subject: Subject) async throws {
        let content = Gzip.zlibZeros(300_000)
        let peer = try Peer(subject, reply(content, "deflate"))
        #expect(try await peer.send(delivery: .stream).body.collect() == Data(count: 300_000))
        let directory = try TemporaryFolder()
        let file = directory["out"]
        _ = try await peer.send(delivery: .file(file))
        #expect(try Data(contentsOf: file) == Data(count: 300_000))
    }

    @Test("fails content that does not decompress", arguments: Subject.wires)
    func broken(_ subject: Subject) async throws {
        let garbage = try Peer(subject, reply(Data("this is no gzip".utf8), "gzip"))
        #expect(try await garbage.outcome() == .failure(.decompressionFailed))
    }

    @Test("hands content of a coding that it does not know over as it is", arguments: Subject.wires)
    func unknown(_ subject: Subject) async throws {
        let peer = try Peer(subject, reply(Data("text".utf8), "x-unknown"))
        #if os(Linux)
            // libcurl under Foundation decodes, and cannot be kept from it.
            if subject == .urlSession {
                #expect(try await peer.outcome() == .failure(.decompressionFailed))
                return
            }
        #endif
        let response = try await peer.send()
        #expect(response.body.data == Data("text".utf8) && !response.isDecoded)
        #expect(response.headers["Content-Encoding"] == "x-unknown")
    }

    @Test("does not treat content of HEAD and 304 as compressed", arguments: Subject.wires)
    func empty(_ subject: Subject) async throws {
        let head = try Peer(subject, reply(Gzip.zlibZeros(10), "deflate"))
        #expect(try await head.outcome(.head) == .response(200, ""))
        let notModified = try Peer(subject, .status(304).header("Content-Encoding", "gzip"))
        #expect(try await notModified.outcome() == .response(304, ""))
    }

    @Test("applies the limit after decompression", arguments: Subject.wires)
    func limit(_ subject: Subject) async throws {
        let peer = try Peer(subject, reply(Gzip.zlibZeros(500_000), "deflate"))
        let enough = try await peer.send(delivery: .collect(limit: 500_000))
        #expect(enough.body.data?.count == 500_000)
        let outcome = await Outcome { try await peer.send(delivery: .collect(limit: 499_999)) }
        #expect(outcome == .failure(.responseTooLarge))
    }

    @Test("ends content that expands more than a hundredfold, unless it is collected", arguments: Subject.wires)
    func bomb(_ subject: Subject) async throws {
        let bomb = Gzip.zlibZeros(12_000_000)
        #expect(12_000_000 / bomb.count > 100)
        let peer = try Peer(subject, reply(bomb, "deflate"))
        let directory = try TemporaryFolder()
        let file = directory["out"]
        for delivery in [ResponseDelivery.stream, .file(file)] {
            let outcome = await Outcome { try await peer.send(delivery: delivery) }
            #expect(outcome == .failure(.responseTooLarge), "\(delivery)")
        }
        #expect(directory.names.isEmpty)
        let collected = try await peer.send()
        #expect(collected.body.data?.count == 12_000_000)
    }

    @Test("ends content without a length that expands beyond measure", arguments: Subject.wires)
    func chunkedBomb(_ subject: Subject) async throws {
        let peer = try Peer(subject, reply(Gzip.zlibZeros(120_000_000), "deflate", isChunked: true))
        let directory = try TemporaryFolder()
        let file = directory["out"]
        for delivery in [ResponseDelivery.collect, .stream, .file(file)] {
            let error = await #expect(throws: TransportError.self) {
                let response = try await peer.send(delivery: delivery)
                guard case .stream(let stream) = response.body else { return }
                for try await _ in stream {}
            }
            #expect(error?.code == .responseTooLarge, "\(delivery)")
        }
        #expect(directory.names.isEmpty)
    }
}
