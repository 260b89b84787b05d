#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// Seven kinds of coding, two sizes, with a length and in chunks.
    @Suite("28 bombs; HTTP/1.1 alone, or as TLS agrees", .timeLimit(.minutes(10)), .paced)
    struct BombTests {
        private static let sizes = [2_000_000, 100_000_000]

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
            arguments: HTTPChoice.all,
            Bombs.kinds.indices
        )
        func refused(http: HTTPChoice, kind: Int) async throws {
            let (_, field, make) = Bombs.kinds[kind]
            let transport = http.transport()
            for size in Self.sizes {
                let bomb = make(size)
                let server = try server(bomb, field)
                let folder = try TemporaryFolder()
                for path in ["/length", "/chunks"] {
                    for delivery in [ResponseDelivery.collect(limit: 1 << 20), .stream, .file(folder["file"])] {
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
                #expect(folder.names.isEmpty)
            }
        }

        @Test(
            "the same bytes arrive whole where they are collected, or the configuration allows it",
            arguments: HTTPChoice.all,
            Bombs.kinds.indices
        )
        func allowed(http: HTTPChoice, kind: Int) async throws {
            let (_, field, make) = Bombs.kinds[kind]
            let transports = [http.transport(), http.transport { $0.decompression.ratio = .max }]
            let server = try server(make(Self.sizes[0]), field)
            for path in ["/length", "/chunks"] {
                for (transport, delivery) in zip(transports, [ResponseDelivery.collect, .stream]) {
                    let response = try await transport.send(.init(url: server.url(path), delivery: delivery))
                    #expect(try await response.body.collect() == Data(count: Self.sizes[0]))
                }
            }
        }
    }

    /// Zeros in each coding, made without its library; few bytes for very many.
    enum Bombs {
        /// A name, `Content-Encoding`, and how to make one of a size.
        static let kinds: [(name: String, field: String, make: @Sendable (Int) -> Data)] = [
            ("gzip", "gzip", { gzip($0) }),
            ("zlib", "deflate", { Data([0x78, 0x9C]) + deflated($0) + Gzip.adler(ofZeros: $0) }),
            ("raw deflate", "deflate", { deflated($0) }),
            ("br", "br", { brotli($0) }),
            ("zstd", "zstd", { zstd($0) }),
            ("br inside gzip", "br, gzip", { Gzip.stored(brotli($0)) }),
            ("gzip inside br", "gzip, br", { storedInBrotli(gzip($0)) }),
        ]

        /// Beyond two million bytes with a checksum that is wrong: nobody comes to it.
        private static func gzip(_ count: Int) -> Data {
            guard count > 2_000_000 else { return Gzip.zeros(count) }
            // Thirteen bytes say eight times "258 bytes from one back", wherever they begin.
            let more = (count - 2_000_000) / (8 * 258)
            let start = Gzip.zeros(count - more * 8 * 258)
            let again = start[2000..<2013]
            var bytes = start[..<2000]
            bytes.reserveCapacity(start.count + 13 * more)
            for _ in 0..<more { bytes += again }
            return bytes + start[2000...]
        }

        /// Deflate without a frame: what is in gzip between its head and its checksum.
        private static func deflated(_ count: Int) -> Data { Data(gzip(count).dropFirst(10).dropLast(8)) }

        /// One block of 128 KiB after the other that says "the same again" (RFC 8878, 3.1.1.2).
        static func zstd(_ count: Int) -> Data {
            var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58])
            for start in stride(from: 0, to: count, by: 128 << 10) {
                let size = min(128 << 10, count - start)
                let header = (start + size == count ? 1 : 0) | 1 << 1 | size << 3
                frame += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0]
            }
            return frame
        }

        /// Blocks of up to 16 MiB, each one zero and a copy of it from one byte back (RFC 7932, 9.2).
        private static func brotli(_ count: Int) -> Data {
            var bits = BitWriter()
            bits.put(0, 1)  // A window of 64 KiB.
            for start in stride(from: 0, to: count, by: 1 << 24) {
                let size = min(1 << 24, count - start)
                bits.put(0, 1)  // Not the last block.
                bits.putLength(size)
                bits.put(0, 1)  // Compressed.
                bits.put(0, 3)  // One type of literals, of commands, of distances.
                bits.put(0, 6)  // No postfix and no direct distances.
                bits.put(0, 2)  // The mode of literals' contexts.
                bits.put(0, 2)  // One tree of literals, one of distances.
                // Three codes of one symbol each, which then takes no bits: a zero, "insert 1, copy 2 118 and more", and the
                // distances 1 and 2.
                for (symbol, width) in [(0, 8), (399, 10), (16, 6)] {
                    bits.put(1, 2)
                    bits.put(0, 2)
                    bits.put(symbol, width)
                }
                bits.put(size - 1 - 2118, 24)
                bits.put(0, 1)  // Distance 1.
            }
            bits.put(3, 2)  // The last block, an empty one.
            bits.align()
            return Data(bits.bytes)
        }

        private static func storedInBrotli(_ content: Data) -> Data {
            var bits = BitWriter()
            bits.put(0, 2)
            bits.putLength(content.count)
            bits.put(1, 1)  // As it is.
            bits.align()
            return Data(bits.bytes) + content + [3]
        }
    }

    extension BitWriter {
        /// The length of a block of brotli, in as few digits of four bits as it takes, at least four.
        fileprivate mutating func putLength(_ count: Int) {
            let digits = count > 1 << 20 ? 6 : count > 1 << 16 ? 5 : 4
            put(digits - 4, 2)
            put(count - 1, 4 * digits)
        }
    }
#endif
