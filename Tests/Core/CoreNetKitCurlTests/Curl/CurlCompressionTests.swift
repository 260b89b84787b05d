#if os(Linux)
    import TestSupport
    import CoreNetKitCurl

    @Suite("Curl: decompression and its limits", .timeLimit(.minutes(10)), .paced)
    struct CurlCompressionTests {
        private static func bytes(_ base64: String) -> Data { Data(base64Encoded: base64) ?? Data() }

        static let samples: [(String, TransportCapabilities, Data)] = [
            ("gzip", .gzip, Gzip.zeros(3)),
            ("br", .brotli, bytes("iwWAaGVsbG8gYnJvdGxpAw==")),
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

        /// Zeros in zstd, 32 768 for each byte: one 128 KiB block after another that says "the same again".
        private static let densest: Data = {
            var frame = Data([0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58])
            for index in 0..<4000 {
                let header = (index == 3999 ? 1 : 0) | 1 << 1 | (128 << 10) << 3
                frame.append(contentsOf: [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), 0])
            }
            return frame
        }()

        @Test(
            "the densest content is refused before it fills the memory, whatever length it claims",
            arguments: ["16006", "900000000000", "chunked"],
            [ResponseDelivery.collect, .stream]
        )
        func densest(length: String, delivery: ResponseDelivery) async throws {
            guard CurlTransport().capabilities.contains(.zstd) else { return }
            let server = try LoopbackServer { _ in
                var bytes = Data("HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n".utf8)
                let isChunked = length == "chunked"
                bytes += Data(
                    (isChunked ? "Transfer-Encoding: chunked\r\n\r\n3e86\r\n" : "Content-Length: \(length)\r\n\r\n")
                        .utf8
                )
                return .raw(bytes + Self.densest + Data((isChunked ? "\r\n0\r\n\r\n" : "").utf8))
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

    /// Zeros in gzip, 158 for each byte: enough of the format to make a bomb without a library.
    enum Gzip {
        static func zeros(_ count: Int) -> Data {
            var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
            var bits = 0
            var filled = 0
            func put(_ value: Int, _ width: Int) {
                bits |= value << filled
                filled += width
                while filled >= 8 {
                    out.append(UInt8(bits & 255))
                    bits >>= 8
                    filled -= 8
                }
            }
            // One block of fixed codes: literals 0 (00110000), then "258 bytes from one back" (11000101, 00000).
            put(1, 1)
            put(1, 2)
            let repeats = max(0, (count - 1) / 258)
            for _ in 0..<(count - repeats * 258) { put(0b0000_1100, 8) }
            for _ in 0..<repeats {
                put(0b1010_0011, 8)
                put(0, 5)
            }
            put(0, 7)
            if filled > 0 { put(0, 8 - filled) }
            for value in [checksum(ofZeros: count), UInt32(truncatingIfNeeded: count)] {
                for shift in stride(from: 0, to: 32, by: 8) { out.append(UInt8(value >> UInt32(shift) & 255)) }
            }
            return Data(out)
        }

        /// Zeros change a checksum linearly: each power of two of them is one operator, by the bits of the value.
        private static func checksum(ofZeros count: Int) -> UInt32 {
            func applied(_ operation: [UInt32], _ value: UInt32) -> UInt32 {
                operation.indices.reduce(0) { value >> UInt32($1) & 1 == 1 ? $0 ^ operation[$1] : $0 }
            }
            var operation = (0..<32).map { bit in
                (0..<8).reduce(UInt32(1) << UInt32(bit)) { value, _ in
                    value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
                }
            }
            var (value, count) = (~UInt32(0), count)
            while count > 0 {
                if count & 1 == 1 { value = applied(operation, value) }
                operation = operation.map { applied(operation, $0) }
                count >>= 1
            }
            return ~value
        }

        static func checksum(of content: Data) -> UInt32 {
            let table = (0..<256).map { index -> UInt32 in
                (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
            }
            return ~table.withUnsafeBufferPointer { table in
                content.withUnsafeBytes { bytes in
                    var value = ~UInt32(0)
                    for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
                    return value
                }
            }
        }
    }
#endif
