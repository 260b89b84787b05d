import CoreNetKitURLSession
import TestSupport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("URLSession: requests of both kinds", .timeLimit(.minutes(10)), .paced)
struct URLRequestTests {
    private static func request(_ change: (inout URLRequest) -> Void) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://example.org:8443/a?b=c")))
        change(&request)
        return request
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout URLRequest) -> Void
        let check: @Sendable (TransportRequest) -> Bool

        init(
            _ testDescription: String,
            _ change: @escaping @Sendable (inout URLRequest) -> Void,
            _ check: @escaping @Sendable (TransportRequest) -> Bool
        ) { (self.testDescription, self.change, self.check) = (testDescription, change, check) }
    }

    static let rows: [Row] = [
        Row("nothing set: GET, no fields, no content", { _ in }) {
            $0.method == .get && $0.headers.isEmpty && $0.body.isEmpty
                && $0.url.absoluteString == "https://example.org:8443/a?b=c"
        },
        Row("method", { $0.httpMethod = "REPORT" }) { $0.method == "REPORT" },
        Row("fields, sorted") {
            $0.setValue("2", forHTTPHeaderField: "X-B")
            $0.setValue("1", forHTTPHeaderField: "X-A")
        } _: {
            $0.headers.map(\.name) == ["X-A", "X-B"] && $0.headers["x-b"] == "2"
        },
        Row("framing is the transport's") {
            $0.setValue("4", forHTTPHeaderField: "Content-Length")
            $0.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
        } _: {
            $0.headers.isEmpty
        },
        Row("the URL's own host", { $0.setValue("Example.org:8443", forHTTPHeaderField: "Host") }) {
            $0.headers.isEmpty
        },
        Row("another host stays, and is refused when it is sent", { $0.setValue("b.org", forHTTPHeaderField: "Host") })
        {
            request in request.headers["Host"] == "b.org" && (try? request.validate()) == nil
        },
        Row("bytes") {
            $0.httpMethod = "POST"
            $0.httpBody = Data("abc".utf8)
        } _: {
            $0.body.data == Data("abc".utf8) && $0.body.isReplayable
        },
        Row("a limit of silence", { $0.timeoutInterval = 1.5 }) {
            let limit = Duration.milliseconds(1500)
            return $0.timeouts.connect == limit && $0.timeouts.firstByte == limit && $0.timeouts.idle == limit
                && $0.timeouts.total == nil
        },
        Row("the usual limit is URLRequest's own", { _ in }) { $0.timeouts.idle == .seconds(60) },
        Row("no limit", { $0.timeoutInterval = .infinity }) { $0.timeouts.idle == nil && $0.timeouts.connect == nil },
        Row("a stream, with the length that was promised") {
            $0.setValue("3", forHTTPHeaderField: "Content-Length")
            $0.httpBodyStream = InputStream(data: Data("abc".utf8))
        } _: {
            $0.body.streamLength == 3 && !$0.body.isReplayable && $0.body.data == nil
        },
    ]

    @Test("a URLRequest is converted", arguments: rows)
    func over(_ row: Row) throws { #expect(row.check(try TransportRequest(Self.request(row.change)))) }

    @Test("a URLRequest that forbids a network of its session is refused, as is one without a URL")
    func refused() throws {
        for change: (inout URLRequest) -> Void in [{ $0.allowsCellularAccess = false }, { $0.url = nil }] {
            let request = try Self.request(change)
            let error = #expect(throws: TransportError.self) { try TransportRequest(request) }
            #expect(error?.code == (request.url == nil ? .invalidRequest : .unsupported))
        }
    }

    private func upload(_ stream: InputStream?, to server: LoopbackServer) -> URLRequest {
        var request = URLRequest(url: server.url)
        (request.httpMethod, request.httpBodyStream) = ("PUT", stream)
        return request
    }

    @Test("an InputStream is sent unchanged, and read once")
    func stream() async throws {
        let content = Data.numbered(300_000)
        let server = try LoopbackServer { .text("\($0.body == content)") }
        let request = try TransportRequest(upload(InputStream(data: content), to: server))
        let response = try await URLSessionTransport().send(request)
        #expect(response.body.data == Data("true".utf8))
        let error = await #expect(throws: TransportError.self) { try await URLSessionTransport().send(request) }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test("a failing InputStream is the request's own failure")
    func brokenStream() async throws {
        let server = try LoopbackServer { _ in .ok }
        let request = try TransportRequest(upload(InputStream(fileAtPath: "/no/such/file"), to: server))
        let error = await #expect(throws: TransportError.self) { try await URLSessionTransport().send(request) }
        #expect(error?.code == .requestBodyFailed)
        #expect(server.counts.requests == 0)
    }

    @Test("a request becomes a URLRequest: method, joined fields, limits, content of each kind")
    func back() async throws {
        let url = try #require(URL(string: "https://example.org/a"))
        var request = TransportRequest(method: .patch, url: url, headers: ["X-A": "1", "x-a": "2", "Cookie": "a=1"])
        request.timeouts = Timeouts(connect: .seconds(9), firstByte: .seconds(8), idle: .milliseconds(7500))
        request.body = .bytes(Data("abc".utf8))
        let bytes = try await URLRequest(request)
        #expect(bytes.httpMethod == "PATCH" && bytes.url == url && bytes.httpBody == Data("abc".utf8))
        #expect(bytes.value(forHTTPHeaderField: "X-A") == "1, 2")
        #expect(bytes.timeoutInterval == 7.5)
        request.body = .stream {
            Pieces(Data("abc".utf8))
        }
        #expect(try await URLRequest(request).httpBody == Data("abc".utf8))
        let error = await #expect(throws: TransportError.self) { try await URLRequest(request, limit: 2) }
        #expect(error?.code == .requestBodyFailed)
        let directory = try TemporaryFolder()
        request.body = .file(try directory.file(Data("abcd".utf8)))
        let file = try await URLRequest(request)
        #expect(file.value(forHTTPHeaderField: "Content-Length") == "4")
        let again = try TransportRequest(file)
        #expect(try await again.body.collect() == Data("abcd".utf8))
        request.body = .file(directory["missing"])
        await #expect(throws: TransportError.self) { try await URLRequest(request) }
        request.url = try #require(URL(string: "ftp://example.org"))
        await #expect(throws: TransportError.self) { try await URLRequest(request) }
    }

    @Test("there and back again is the same request")
    func both() async throws {
        let original = try Self.request {
            $0.httpMethod = "POST"
            $0.setValue("text/plain", forHTTPHeaderField: "Content-Type")
            $0.setValue("me", forHTTPHeaderField: "User-Agent")
            $0.httpBody = Data("abc".utf8)
            $0.timeoutInterval = 12
        }
        let again = try await URLRequest(TransportRequest(original))
        #expect(
            again.url == original.url && again.httpMethod == original.httpMethod && again.httpBody == original.httpBody
        )
        #expect(again.allHTTPHeaderFields == original.allHTTPHeaderFields)
        #expect(again.timeoutInterval == 12)
    }

    @Test("a completely sent body is not what the exchange waits for if no response comes")
    func sentBody() async throws {
        let server = try LoopbackServer { _ in .status(200).fault(.stall(.beforeStatus)) }
        var request = TransportRequest(method: .post, url: server.url("/slow"), body: .bytes(Data("content".utf8)))
        // On a busy machine the body may not be sent within the first limit.
        let error = try await withLongerLimits(until: { (error: TransportError?) in error?.phase == .wait }) { limit in
            request.timeouts.total = limit
            return try await transportError { _ = try await URLSessionTransport().send(request) }
        }
        #expect(error?.code == .timedOut && error?.phase == .wait)
    }

    #if os(Linux)
        @Test("a URLRequest has a file's length only if the file says it")
        func unsized() async throws {
            let url = try #require(URL(string: "http://a.test/"))
            let version = URL(fileURLWithPath: "/proc/version")
            let request = try await URLRequest(TransportRequest(method: .put, url: url, body: .file(version)))
            #expect(request.httpBodyStream != nil && request.value(forHTTPHeaderField: "Content-Length") == nil)
        }
    #endif
}
