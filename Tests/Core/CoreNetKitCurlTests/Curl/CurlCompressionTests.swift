#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: decompression and its limits", .timeLimit(.minutes(10)), .paced)
    struct CurlCompressionTests {
        private static func bytes(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

        static let samples: [(String, TransportCapabilities, Data)] = [
            ("gzip", .gzip, Gzip.zeros(3)), ("br", .brotli, bytes("iwWAaGVsbG8gYnJvdGxpAw==")),
            ("zstd", .zstd, Data([0x28, 0xB5, 0x2F, 0xFD, 0x20, 3, 0x19, 0, 0, 0, 0, 0])),
        ]

        @Test("asks for the codings it can decompress, and decompresses them", arguments: samples)
        func decompresses(name: String, capability: TransportCapabilities, content: Data) async throws {
            let transport = CurlTransport()
            guard transport.capabilities.contains(capability) else { return }
            let server = try LoopbackServer { _ in .data(content, type: "text/plain").header("Content-Encoding", name) }
            let response = try await transport.send(TransportRequest(url: server.url("/")))
            #expect(response.body.data == (name == "br" ? Data("hello brotli".utf8) : Data(count: 3)))
            #expect(response.headers["Content-Encoding"] == name)
            #expect(response.headers["Content-Length"] == "\(content.count)")
            #expect(server.requests.first?.headers["Accept-Encoding"]?.contains(name) == true)
        }

        /// 32 768 zeros for each byte.
        private static let densest = Bombs.zstd(4000 * (128 << 10))

        @Test(
            "the densest content is refused before it fills the memory, whatever length it claims",
            arguments: ["16006", "900000000000", "chunked"],
            [ResponseDelivery.collect, .stream]
        )
        func densest(length: String, delivery: ResponseDelivery) async throws {
            guard CurlTransport().capabilities.contains(.zstd) else { return }
            let server = try LoopbackServer { _ in
                let isChunked = length == "chunked"
                let framing = isChunked ? "Transfer-Encoding: chunked\r\n\r\n3e86" : "Content-Length: \(length)\r\n"
                let head = Data("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\(framing)\r\n".utf8)
                return .raw(head + Self.densest + Data((isChunked ? "\r\n0\r\n\r\n" : "").utf8))
            }
            let error = await #expect(throws: TransportError.self) {
                let response = try await CurlTransport().send(.init(url: server.url("/"), delivery: delivery))
                _ = try await response.body.collect(limit: .max)
            }
            // Collected content is decoded when it is complete.
            let isCut = length == "900000000000" && delivery == .collect
            #expect(error?.code == (isCut ? .connectionLost : .responseTooLarge))
        }

        @Test("a range is requested without a coding, because a range of coded content cannot be decoded")
        func range() async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = CurlTransport()
            for _ in 0..<2 {
                _ = try await transport.send(TransportRequest(url: server.url("/"), headers: ["Range": "bytes=5-"]))
                _ = try await transport.send(TransportRequest(url: server.url("/")))
            }
            #expect(server.requests.map { $0.headers.contains("Accept-Encoding") } == [false, true, false, true])
        }

        @Test(
            "content of a coding that is unknown is handed over as it is, however it is delivered",
            arguments: ["UTF-8", "aws-chunked", "binary", "gzip, x-odd", "compress"],
            [ResponseDelivery.collect, .stream]
        )
        func unknown(coding: String, delivery: ResponseDelivery) async throws {
            for isChunked in [true, false] {
                let body: LoopbackResponse = isChunked ? .chunks("readable ", "text") : .text("readable text")
                let server = try LoopbackServer { _ in body.header("Content-Encoding", coding) }
                for http in HTTPChoice.all {
                    let request = TransportRequest(url: server.url("/"), delivery: delivery)
                    let response = try await http.transport().send(request)
                    #expect(try await response.body.collect() == Data("readable text".utf8))
                    #expect(!response.isDecoded && response.headers["Content-Encoding"] == coding)
                }
            }
        }

        @Test("content that is to stay coded arrives as it is on the wire, also where the request asks for a coding")
        func undecoded() async throws {
            let gzip = Gzip.zeros(3000)
            let server = try LoopbackServer { request in
                request.headers["Accept-Encoding"] == "gzip"
                    ? .data(gzip).header("Content-Encoding", "gzip") : .data(Data(count: 3000))
            }
            for (asked, content) in [("gzip", gzip), (nil, Data(count: 3000))] {
                var request = TransportRequest(url: server.url("/"))
                request.coding = .identity
                request.headers["Accept-Encoding"] = asked
                let response = try await CurlTransport().send(request)
                #expect(response.body.data == content && !response.isDecoded)
            }
        }
    }
#endif
