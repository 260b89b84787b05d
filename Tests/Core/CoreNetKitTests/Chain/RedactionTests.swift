import TestSupport

/// A marked secret is put wherever a request or response has room for one, and must show up nowhere.
@Suite("Secrets", .timeLimit(.minutes(10)), .paced)
struct RedactionTests {
    static let canary = "cANARY7351"

    struct Login: Codable, RawMappable, DTOConvertible {
        typealias Raw = Json
        typealias DTO = Login
        var password = RedactionTests.canary
    }

    enum Reply: String, CaseIterable {
        case fine, refused, redirected, refusedRedirect, otherShape, otherCase, noJson, lost, empty
    }

    let sink = RecordingSink()

    /// What a server or a wire says, each with the secret in fields, URL and content.
    func transport(_ reply: Reply) -> ClosureTransport {
        let canary = Self.canary
        return ClosureTransport { request in
            var headers: Headers = [
                "Set-Cookie": "sid=\(canary)", "X-Auth-Token": canary, "Content-Type": "application/json",
            ]
            var status = 200
            var text = #"{"password":"\#(canary)"}"#
            switch reply {
            case .fine: break
            case .refused: status = 401
            case .redirected, .refusedRedirect:
                guard request.url.path == "/first" else { break }
                status = 302
                let scheme = reply == .redirected ? "http" : "ftp"
                headers["Location"] = "\(scheme)://u:\(canary)@a.test/second?token=\(canary)#\(canary)"
            case .otherShape: text = #"{"password":{"\#(canary)":1}}"#
            case .otherCase: text = #"{"password":"\#(canary)","role":"\#(canary)"}"#
            case .noJson: text = "<html>\(canary)"
            case .lost: throw TransportError(.connectionLost, phase: .receive, message: "the connection was closed")
            case .empty: text = ""
            }
            return .init(status: status, headers: headers, body: .bytes(Data(text.utf8)), url: request.url)
        }
    }

    func builder(_ reply: Reply) -> UrlChainsBuilder<String> {
        let canary = Self.canary
        return UrlChainsBuilder<String>()
            .set(transport: transport(reply))
            .set(metadata: [
                "Authorization": "Bearer \(canary)", "Proxy-Authorization": canary, "cookie": "sid=\(canary)",
                "x-api-KEY": canary,
            ])
            .add(provider: ["X-Auth-Token": canary])
            .set(query: ["access_token": canary, "page": 1, "Password": canary])
            .log(to: sink, level: .debug)
            .insert(at: .exchange) { next in
                AnyNode<TransportRequest, TransportResponse>("Curious", successors: [next]) { request, context in
                    context.record(.info, "Curious", "\(request) \(request.headers)")
                    let response = try await next.process(request, context: context)
                    context.record(.info, "Curious", "\(response) \(response.headers)")
                    return response
                }
            }
            .route(.post, "http://user:\(canary)@a.test/first?token=\(canary)&x=1#\(canary)")
    }

    struct Member: Codable, Sendable {
        enum Role: String, Codable { case owner }
        var password: String
        var role: Role?
    }

    @Test(
        "are in no story, error or description, wherever they were sent",
        arguments: Reply.allCases,
        [ParametersEncoding.json, .formUrl]
    )
    func canary(reply: Reply, encoding: ParametersEncoding) async throws {
        var texts: [String] = []
        do {
            let response: Response<Member> = try await builder(reply).encode(as: encoding).build().process(Login())
            texts += ["\(response)", String(reflecting: response), "\(response.headers)", "\([response])"]
            #expect(reply == .fine || reply == .redirected)
        } catch let error as NetworkError {
            texts += ["\(error)", error.message, String(reflecting: error), error.localizedDescription]
            texts += [error.response.map { "\($0) \($0.headers)" } ?? "", "\([error])"]
            #expect(reply != .fine && reply != .redirected)
        }
        texts += try await sink.waitForLogTrees(1).map(\.description)

        for text in texts { #expect(!text.contains(Self.canary), "\(reply): \(text)") }
        // The story is not clean because it is empty.
        #expect(texts.contains { $0.contains("X-Auth-Token: REDACTED") && $0.contains("page=1") })
    }

    @Test("of a model that cannot be encoded are not in its error")
    func unencodable() async throws {
        struct Broken: Encodable, Sendable {
            struct Silent: Encodable { var password = RedactionTests.canary, score = Double.nan }
            var inner = Silent()
        }
        struct Nothing: Encodable, Sendable {
            var password = RedactionTests.canary
            func encode(to encoder: any Encoder) throws {}
        }
        let broken = await failure { try await builder(.fine).build().process(Broken()) }
        #expect(broken?.code == .encodingFailed && broken?.cause is EncodingError)
        #expect(broken?.message == "inner.score: Double cannot be encoded as JSON")
        let chain: Chain<Nothing, Void> = builder(.fine).build()
        let nothing = await #expect(throws: NetworkError.self) { try await chain.process(Nothing()) }
        #expect(nothing?.code == .encodingFailed)
        for error in [broken, nothing] { #expect(error.map { !"\($0)".contains(Self.canary) } == true) }
    }

    @Test("in a custom query value without a form are not in its error")
    func unsupportedValue() async throws {
        struct Secret { var value = RedactionTests.canary }
        let query: [String: Any] = ["filter": Secret()]
        let error = await failure { try await builder(.fine).set(query: query).build().process() }
        #expect(error?.code == .unsupportedValue)
        #expect(error.map { !"\($0)".contains(Self.canary) && $0.message.contains("filter") } == true)
    }

    @Test("in the parts of a request are counted, not shown")
    func descriptions() throws {
        let url = try #require(URL(string: "http://u:\(Self.canary)@a.test/x?token=\(Self.canary)&page=2"))
        let headers: Headers = ["Authorization": Self.canary, "Accept": "*/*"]
        let shown = "http://REDACTED:REDACTED@a.test/x?token=REDACTED&page=2"
        let body = RequestBody.bytes(Data(Self.canary.utf8))

        let texts: [(Any, String)] = [
            (
                TransportRequest(method: .put, url: url, headers: headers, body: body),
                "PUT \(shown), 2 fields, 10 bytes"
            ),
            (TransportResponse(status: 201, headers: headers, url: url), "status 201 from \(shown), 2 fields, 0 bytes"),
            (FailedResponse(status: 404, headers: headers, url: url), "status 404 from \(shown), 2 fields, 0 bytes"),
            (RequestModel(metadata: headers, payload: Self.canary), "2 fields, String"),
            (
                RoutedRequest(method: .get, route: url, metadata: headers, payload: Self.canary),
                "GET URL, 2 fields, String"
            ),
        ]
        for (value, text) in texts { #expect("\(value)" == text) }
        #expect("\(headers)" == "Authorization: REDACTED\nAccept: */*")
    }
}
