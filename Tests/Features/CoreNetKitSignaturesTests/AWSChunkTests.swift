import CoreNetKitStreams
import TestSupport

@testable import CoreNetKitSignatures

@Suite("Uploads to S3 with a checksum after the content", .timeLimit(.minutes(10)), .paced)
struct AWSChunkTests {
    private func signature(
        _ checksum: AWSSignature.Checksum,
        _ service: String = "s3",
        origins: TokenRefresher.Origins = .any
    ) -> AWSSignature {
        var signature = AWSSignature.example(service, origins: origins)
        signature.trailingChecksum = checksum
        return signature
    }

    /// A stream in pieces of this size.
    private func stream(_ content: Data, inPiecesOf size: Int, isReplayable: Bool = true) -> RequestBody {
        .stream(length: Int64(content.count), isReplayable: isReplayable) {
            AsyncThrowingStream { continuation in
                var rest = content[...]
                while !rest.isEmpty {
                    continuation.yield(rest.prefix(size))
                    rest = rest.dropFirst(size)
                }
                continuation.finish()
            }
        }
    }

    private func put(_ body: RequestBody, _ headers: Headers = [:], secure: Bool = false) -> TransportRequest {
        let url = url("\(secure ? "https" : "http")://s3.amazonaws.com/examplebucket/chunkObject.txt")
        return TransportRequest(method: .put, url: url, headers: headers, body: body)
    }

    @Test(
        "matches the manual's example of 66 560 bytes in signed chunks",
        arguments: [1, 1000, 65_536, 65_537, 100_000]
    )
    func manual(size: Int) async throws {
        let content = Data(repeating: UInt8(ascii: "a"), count: 66_560)
        let request = put(stream(content, inPiecesOf: size), ["x-amz-storage-class": "REDUCED_REDUNDANCY"])
        let signed = try await signature(.crc32c).signed(request, at: .manual)
        #expect(signed.proof == "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e")
        var expected = Data()
        for (size, signature) in [
            (65_536, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
            (1024, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
        ] {
            expected += Data("\(String(size, radix: 16));chunk-signature=\(signature)\r\n".utf8)
            expected += content.prefix(size) + Data("\r\n".utf8)
        }
        let end = [
            "0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992",
            "x-amz-checksum-crc32c:sOO8/Q==",
            "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435", "", "",
        ]
        expected += Data(end.joined(separator: "\r\n").utf8)
        #expect(try await signed.body.collect() == expected)
        #expect(signed.body.streamLength == Int64(expected.count))
    }

    @Test(
        "over https the chunks are unsigned, and sent again as often as the source allows",
        arguments: [
            (.crc32, "123456789", "y/Q5Jg=="), (.crc32c, "", "AAAAAA=="),
            (.sha256, "hello", "LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="),
        ] as [(AWSSignature.Checksum, String, String)]
    )
    func unsigned(checksum: AWSSignature.Checksum, text: String, value: String) async throws {
        for isReplayable in [true, false] {
            let body = stream(Data(text.utf8), inPiecesOf: 3, isReplayable: isReplayable)
            let request = put(body, ["Content-Encoding": "gzip"], secure: true)
            let signed = try await signature(checksum).signed(request, at: .manual)
            #expect(signed.headers["X-Amz-Content-Sha256"] == "STREAMING-UNSIGNED-PAYLOAD-TRAILER")
            #expect(signed.headers["Content-Encoding"] == "aws-chunked,gzip")
            #expect(signed.headers["X-Amz-Decoded-Content-Length"] == "\(text.utf8.count)")
            #expect(signed.headers["X-Amz-Trailer"] == "x-amz-checksum-\(checksum)")
            #expect(signed.body.isReplayable == isReplayable)
            let chunk = text.isEmpty ? "" : "\(text.utf8.count)\r\n\(text)\r\n"
            let sent = String(decoding: try await signed.body.collect(), as: UTF8.self)
            #expect(sent == "\(chunk)0\r\nx-amz-checksum-\(checksum):\(value)\r\n\r\n")
            #expect(signed.body.streamLength == Int64(sent.utf8.count))
        }
    }

    @Test("content in memory, a known hash and another service do without")
    func without() async throws {
        let field = "X-Amz-Content-Sha256"
        let content = Data("hello".utf8)
        let inMemory = try await signature(.crc32).signed(put(.bytes(content)), at: .manual)
        #expect(inMemory.headers[field] == ContentHash.sha256(content).hex && inMemory.body.data == content)
        let known = try await signature(.crc32).signed(put(stream(content, inPiecesOf: 5), [field: "x"]), at: .manual)
        #expect(known.headers[field] == "x" && known.body.streamLength == 5)
        let other = signature(.crc32, "execute-api")
        let signed = try await other.signed(put(stream(content, inPiecesOf: 5)), at: .manual)
        #expect(!signed.headers.contains("X-Amz-Trailer") && signed.body.streamLength == 5)
    }

    @Test("a stream needs a length", arguments: [nil, -1, Int64.max])
    func lengths(length: Int64?) async throws {
        let request = put(.stream(length: length) { AsyncThrowingStream { $0.finish() } })
        let error = await failure { _ = try await signature(.crc32).signed(request, at: .manual) }
        #expect(error?.code == .invalidRequest && error?.message.contains("length") == true)
    }

    @Test("a file is sent over a socket in chunks, each attempt signed anew, and fails if it became shorter")
    func file() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.file(Data("hello".utf8))
        let server = try LoopbackServer()
        server.on(.put, "/k", .status(503), .ok)
        let backoff = RetryPolicy.Backoff.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        let client = Client(base: server.url).retry(RetryPolicy(backoff: backoff))
            .signature(signature(.sha256, origins: .only([server.url.absoluteString])))
        try await client.route(.put, "/k").set(body: .file(file)).build().call()
        #expect(server.requests.count == 2)
        for request in server.requests {
            let text = request.text
            #expect(text.hasPrefix("5;chunk-signature=") && text.contains("\r\nhello\r\n0;chunk-signature="))
            #expect(text.contains("\r\nx-amz-checksum-sha256:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=\r\n"))
            #expect(request.headers["Content-Length"] == "\(request.body.count)")
        }
        let signed = try await signature(.crc32).signed(put(.file(file)), at: .manual)
        try Data("hell".utf8).write(to: file)
        #expect(try await signed.body.collect().count < signed.body.streamLength ?? 0)
        let (missing, crc) = (put(.file(folder["none"])), signature(.crc32))
        let error = await #expect(throws: TransportError.self) { try await crc.signed(missing, at: .manual) }
        #expect(error?.code == .requestBodyFailed)
    }
}
