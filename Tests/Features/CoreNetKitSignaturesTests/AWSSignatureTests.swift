import TestSupport

@testable import CoreNetKitSignatures

@Suite("AWS Signature Version 4", .timeLimit(.minutes(10)), .paced)
struct AWSSignatureTests {
    private static let bucket = "https://examplebucket.s3.amazonaws.com"

    private func request(
        _ url: String,
        _ method: HTTPMethod = .get,
        _ headers: Headers = [:],
        _ body: RequestBody = .empty
    ) throws -> TransportRequest {
        TransportRequest(method: method, url: try #require(URL(string: url)), headers: headers, body: body)
    }

    private func signed(_ request: TransportRequest, _ service: String = "s3") async throws -> TransportRequest {
        try await AWSSignature.example(service).signed(request, at: .manual)
    }

    @Test(
        "matches the examples of the manual",
        arguments: [
            ("/test.txt", ["Range": "bytes=0-9"], "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
            ("/?lifecycle", [:], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ("/?max-keys=2&prefix=J", [:], "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ] as [(String, Headers, String)]
    )
    func manual(target: String, headers: Headers, expected: String) async throws {
        #expect(try await signed(request(Self.bucket + target, .get, headers)).proof == expected)
    }

    @Test("matches the manual's upload, which covers the content and all fields")
    func upload() async throws {
        let headers: Headers = ["Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"]
        let body = RequestBody.bytes(Data("Welcome to Amazon S3.".utf8))
        let found = try await signed(request(Self.bucket + "/test$file.text", .put, headers, body))
        #expect(found.proof == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
        let digest = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        #expect(found.headers["X-Amz-Content-Sha256"] == digest)
        #expect(found.headers["X-Amz-Date"] == "20130524T000000Z")
    }

    /// Another spelling, which keeps `+`, `!`, `'`, `(`, `)`, `*` and others in paths; in queries, spaces become `+`.
    private func respelled(_ target: String) -> String {
        let isQuery = target.hasPrefix("/?")
        func parts(_ text: some StringProtocol, by separator: Character, _ change: (Substring) -> String) -> String {
            Substring(text).split(separator: separator, omittingEmptySubsequences: false).map(change)
                .joined(separator: String(separator))
        }
        func spell(_ text: Substring) -> String {
            PercentEncoding.encode(PercentEncoding.decode(text), as: isQuery ? .form : .path)
        }
        guard isQuery else { return parts(target, by: "/", spell) }
        return "/?" + parts(target.dropFirst(2), by: "&") { parts($0, by: "=", spell) }
    }

    @Test(
        "matches botocore for odd keys and queries, whose other spellings are sent as they are signed",
        arguments: botocoreTable.split(separator: "\n").map(String.init)
    )
    func odd(row: String) async throws {
        let parts = row.split(separator: " ").map(String.init)
        for target in [parts[1], respelled(parts[1])] {
            let found = try await signed(request(Self.bucket + target), parts[0])
            #expect(found.proof.prefix(32) == parts[2], "\(target)")
            #expect(found.url.absoluteString == Self.bucket + parts[1])
        }
    }

    @Test("covers all fields but those that proxies change, and the token of temporary credentials")
    func fields() async throws {
        let headers: Headers = [
            "Content-Type": "text/plain; charset=utf-8", "x-amz-meta-b": "  two   spaces ", "X-Amz-Meta-A": "1",
            "Cache-Control": "max-age=1", "If-Match": "\"e\"", "User-Agent": "x", "Accept-Encoding": "gzip",
            "traceparent": "00-0", "Connection": "keep-alive",
        ]
        let input = try request(Self.bucket + "/k", .put, headers, .bytes(Data("hello".utf8)))
        let found = try await AWSSignature.example(token: "a+b/c==").signed(input, at: .manual)
        let expected = """
            AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, \
            SignedHeaders=cache-control;content-type;host;if-match;x-amz-content-sha256;x-amz-date;x-amz-meta-a;\
            x-amz-meta-b;x-amz-security-token, \
            Signature=ffa1eaba090bf9f5b92d2733930ea95803087cce539141a3c0f64180aeaf1771
            """
        #expect(found.headers["Authorization"] == expected)
        #expect(found.headers["X-Amz-Security-Token"] == "a+b/c==")
    }

    @Test(
        "the host has a port unless it is the scheme's",
        arguments: [
            ("localhost:9000", "4ce10403c0aa0a2bf49f0d386ae82d5a55532d677bc71e6ded56f8a5f222e754"),
            ("[::1]:80", "c9509abbf862f5d9411bfef37e582c102045b0c16287ff0ef3a4d400f4523e31"),
        ]
    )
    func hosts(host: String, expected: String) async throws {
        #expect(try await signed(request("http://\(host)/bucket/k?uploads")).proof == expected)
    }

    @Test("other services than S3 have no field for the content, but sign it")
    func others() async throws {
        let headers: Headers = [
            "Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "DynamoDB_20120810.ListTables",
        ]
        let input = try request("https://dynamodb.us-east-1.amazonaws.com/", .post, headers, .bytes(Data("{}".utf8)))
        let found = try await signed(input, "dynamodb")
        #expect(found.proof == "a5dec6523fdda384b7e65a211a7a1611b1a7538a5a6a6df21612dacc1f4e0ba8")
        #expect(!found.headers.contains("X-Amz-Content-Sha256"))
    }

    @Test("a stream is signed where TLS does not protect it, unless it can be read only once or has a digest")
    func streams() async throws {
        func stream(_ isReplayable: Bool) -> RequestBody {
            .stream(isReplayable: isReplayable) { AsyncThrowingStream { $0.finish() } }
        }
        let empty = ContentHash().hex
        let field = "X-Amz-Content-Sha256"
        let secure = try await signed(request("https://s3.test/k", .put, [:], stream(false)))
        #expect(secure.headers[field] == "UNSIGNED-PAYLOAD")
        let plain = try await signed(request("http://s3.test/k", .put, [:], stream(true)))
        #expect(plain.headers[field] == empty)
        let known = try await signed(request("http://s3.test/k", .put, [field: "x"], stream(false)))
        #expect(known.headers[field] == "x")
        for (service, scheme) in [("s3", "http"), ("execute-api", "https")] {
            let input = try request("\(scheme)://s3.test/k", .put, [:], stream(false))
            #expect(await failure { _ = try await signed(input, service) }?.code == .invalidRequest)
        }
    }

    @Test("a file that cannot be read fails the request, and one that can is signed")
    func files() async throws {
        let folder = try TemporaryFolder()
        let input = try request("http://s3.test/k", .put, [:], .file(folder["content"]))
        let error = await #expect(throws: TransportError.self) { try await signed(input) }
        #expect(error?.code == .requestBodyFailed)
        _ = try folder.file(Data("hello".utf8))
        let digest = ContentHash.sha256(Array("hello".utf8)).hex
        #expect(try await signed(input).headers["X-Amz-Content-Sha256"] == digest)
    }

    @Test(
        "a presigned URL matches the manual and botocore",
        arguments: [
            ("s3", nil, "/test.txt", 86_400, "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"),
            (
                "s3", "a+b/c==", "/a%20b?response-content-type=text%2Fplain", 1,
                "d386e8a613ab37d5a7414168cc130f2d20a19154a91f6efb6388367af76606d9"
            ),
            (
                "execute-api", nil, "/a%20b//c", 604_800,
                "e4c17081ba3fdbd4a5b32a5eaf20bef15daab4cd35525602a14b379c85ce3832"
            ),
        ] as [(String, String?, String, Int, String)]
    )
    func presigned(service: String, token: String?, target: String, seconds: Int, expected: String) async throws {
        let url = try #require(URL(string: Self.bucket + target))
        let found = try await AWSSignature.example(service, token: token)
            .presignedURL(url, lifetime: .seconds(seconds), at: .manual).absoluteString
        #expect(found.hasSuffix("&X-Amz-Signature=\(expected)"))
        #expect(found.hasPrefix(Self.bucket + target.prefix { $0 != "?" } + "?"))
        #expect(found.contains("X-Amz-Expires=\(seconds)&X-Amz-SignedHeaders=host&"))
    }

    @Test(
        "a presigned URL is valid for a second to a week",
        arguments: [.zero, .seconds(-1), .milliseconds(999), .seconds(604_801), .seconds(Int64.max)] as [Duration]
    )
    func lifetimes(lifetime: Duration) async throws {
        let url = try #require(URL(string: Self.bucket))
        let error = await failure { _ = try await AWSSignature.example().presignedURL(url, lifetime: lifetime) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a request with a field Authorization is not signed")
    func authorized() async throws {
        let found = try await signed(request(Self.bucket, .get, ["authorization": "Bearer t"]))
        #expect(found.headers == ["Authorization": "Bearer t"])
    }

    @Test("the secret is in no description")
    func secrets() {
        let credentials = AWSSignature.Credentials(keyID: "public", secret: "private", sessionToken: "private")
        var text = "\(credentials)"
        dump(credentials, to: &text)
        #expect(text.contains("public") && !text.contains("private"))
    }
}

extension Date {
    /// `20130524T000000Z`, of the examples in the manual.
    static let manual = Date(timeIntervalSince1970: 1_369_353_600)
}

extension AWSSignature {
    /// With the key of the examples in the manual.
    static func example(
        _ service: String = "s3",
        token: String? = nil,
        origins: TokenRefresher.Origins = .any
    ) -> AWSSignature {
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
        return AWSSignature(service: service, region: "us-east-1", origins: origins) {
            .init(keyID: "AKIAIOSFODNN7EXAMPLE", secret: secret, sessionToken: token)
        }
    }
}

extension TransportRequest {
    /// The signature in `Authorization`.
    var proof: String { String((headers["Authorization"] ?? "").suffix(64)) }
}
