#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: coded content", .timeLimit(.minutes(10)), .paced)
    struct CurlDecodingTests {
        private static let gzip = Gzip.zeros(3000)
        private static let samples: [(field: String, content: Data)] = CurlCompressionTests.samples.map { ($0.0, $0.2) }

        private func outcome(
            _ server: LoopbackServer,
            _ delivery: ResponseDelivery,
            _ transport: CurlTransport
        ) async -> Result<Data, any Error> {
            await Result {
                let response = try await transport.send(.init(url: server.url("/"), delivery: delivery))
                return try await response.body.collect()
            }
        }

        @Test(
            "that is cut at any byte, with a matching length, is an error, however it is delivered",
            arguments: [ResponseDelivery.collect, .stream],
            [true, false]
        )
        func cuts(delivery: ResponseDelivery, isChunked: Bool) async throws {
            for (field, content) in Self.samples {
                let next = Locked(0)
                let server = try LoopbackServer { _ in
                    let cut = content.prefix(next.value)
                    return (isChunked ? LoopbackResponse(body: .chunks([cut])) : .data(cut))
                        .header("Content-Encoding", field)
                }
                let transport = CurlTransport()
                for count in 1..<content.count {
                    next.withLock { $0 = count }
                    let outcome = await outcome(server, delivery, transport)
                    let error = #expect(throws: TransportError.self, "\(field), \(count) bytes") { try outcome.get() }
                    #expect(error?.code == .decompressionFailed)
                }
                // The messages were complete, only their content was invalid: one connection serves them all.
                #expect(server.counts.connections == 1)
                next.withLock { $0 = content.count }
                #expect(try await outcome(server, delivery, transport).get().isEmpty == false)
            }
        }

        @Test(
            "in several members, in several codings and by several fields is one content",
            arguments: [ResponseDelivery.collect, .stream]
        )
        func forms(delivery: ResponseDelivery) async throws {
            let twice = Gzip.stored(Self.gzip)
            let members = Self.gzip + Self.gzip
            let forms: [(content: Data, fields: [String], size: Int)] = [
                (members, ["gzip"], 6000), (Self.gzip, ["x-gzip"], 3000), (Self.gzip, ["identity", "GZIP"], 3000),
                (twice, ["gzip, gzip"], 3000), (twice, ["gzip", "gzip"], 3000), (Data(), ["gzip"], 0),
            ]
            for (content, fields, size) in forms {
                let server = try LoopbackServer { _ in
                    fields.reduce(.data(content)) { $0.header("Content-Encoding", $1) }
                }
                let data = try await outcome(server, delivery, CurlTransport()).get()
                #expect(data == Data(count: size), "\(fields)")
            }
        }

        @Test("with bytes after its end is an error", arguments: [ResponseDelivery.collect, .stream])
        func behind(delivery: ResponseDelivery) async throws {
            for (field, content) in Self.samples {
                let server = try LoopbackServer { _ in
                    .data(content + Data("garbage".utf8)).header("Content-Encoding", field)
                }
                let error = await #expect(throws: TransportError.self) {
                    try await outcome(server, delivery, CurlTransport()).get()
                }
                #expect(error?.code == .decompressionFailed, "\(field)")
            }
        }

        @Test("is not decoded if it is not wanted, except for an error's")
        func discarded() async throws {
            let server = try LoopbackServer { request in
                var response = LoopbackResponse.data(request.target == "/cut" ? Self.gzip.prefix(9) : Self.gzip)
                response.status = request.target == "/404" ? 404 : 200
                return response.header("Content-Encoding", "gzip")
            }
            let transport = CurlTransport()
            for (target, size) in [("/", 0), ("/cut", 0), ("/404", 3000)] {
                let response = try await transport.send(.init(url: server.url(target), delivery: .discard))
                #expect(response.body.data == Data(count: size))
            }
        }

        @Test("is decoded in pieces of at most 64 KiB, and its ending tells the total")
        func pieces() async throws {
            let server = try LoopbackServer { _ in .data(Gzip.zeros(40_000_000)).header("Content-Encoding", "gzip") }
            let transport = CurlTransport.made { $0.decompression.ratio = 1000 }
            let stream = try await transport.stream(.init(url: server.url("/")))
            var (total, most) = (0, 0)
            for try await chunk in stream {
                #expect(stream.ending == nil)
                (total, most) = (total + chunk.count, max(most, chunk.count))
            }
            #expect(total == 40_000_000 && most <= 64 << 10)
            #expect(stream.ending?.timings.bytesDecoded == 40_000_000)
        }

        @Test("stalls its server if it is not read, like plain content", arguments: [true, false])
        func stalls(isCoded: Bool) async throws {
            let content = Data.numbered(4_000_000)
            let bytes = isCoded ? Gzip.stored(content) : content
            let server = try LoopbackServer(recording: .off) { _ in
                isCoded ? .data(bytes).header("Content-Encoding", "gzip") : .data(bytes)
            }
            let transport = CurlTransport()
            let monitor = ExchangeMonitor()
            var request = TransportRequest(url: server.url("/"))
            request.monitor = monitor
            let stream = try await transport.stream(request)
            var (read, most, turn) = (0, 0, 0)
            for try await chunk in stream {
                read += chunk.count
                turn += 1
                // Each check is a turn of the loop, in which it reads whatever it may.
                if turn % 8 == 1 { for _ in 0..<20 { _ = await transport.statistics() } }
                most = max(most, Int(monitor.state.bytesReceived) - read)
            }
            #expect(read == content.count)
            // The waiting bytes, and the piece being decoded.
            #expect(most <= (256 + 256) << 10)
            // Something did arrive.
            #expect(most >= 128 << 10)
        }

        @Test("goes to two readers of one stream in turn")
        func readers() async throws {
            let content = Data.numbered(2_000_000)
            let bytes = Gzip.stored(content)
            let server = try LoopbackServer { _ in .data(bytes).header("Content-Encoding", "gzip") }
            let stream = try await CurlTransport().stream(.init(url: server.url("/")))
            let counts = try await concurrently(2) { _ in try await stream.reduce(0) { $0 + $1.count } }
            #expect(counts.reduce(0, +) == content.count)
        }
    }
#endif
