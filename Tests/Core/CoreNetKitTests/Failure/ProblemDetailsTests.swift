import TestSupport

@Suite("Problem details (RFC 9457)", .timeLimit(.minutes(10)), .paced)
struct ProblemDetailsTests {
    private static let type = "application/problem+json"
    private static let credit =
        #"{"type": "/out-of-credit", "title": "No credit.", "detail": "30 is less than 50.", "balance": 30}"#

    private func chain(
        _ text: String,
        status: Int = 403,
        type: String? = type,
        _ change: (Client) -> Client = { $0 }
    ) -> Chain<Void, Json> {
        let headers = type.map { Headers([("Content-Type", $0)]) } ?? [:]
        let client = Client(transport: ClosureTransport(status: status, headers: headers, text))
        return UrlChainsBuilder<String>(client: change(client)).route(.get, "https://a.test/").build()
    }

    private func error(_ chain: Chain<Void, Json>) async -> NetworkError? {
        await #expect(throws: NetworkError.self) { try await chain.process() }
    }

    @Test(
        "are read member by member: one of the wrong type is ignored, the others stay",
        arguments: [
            ("{}", ProblemDetails()),
            (
                credit,
                ProblemDetails(
                    type: "/out-of-credit",
                    title: "No credit.",
                    detail: "30 is less than 50.",
                    extensions: ["balance": 30]
                )
            ),
            (
                #"{"status": 404, "instance": "/log/1", "errors": [{"pointer": "/age"}]}"#,
                ProblemDetails(status: 404, instance: "/log/1", extensions: ["errors": [["pointer": "/age"]]])
            ),
            (#"{"type": null, "title": 1, "status": "404", "detail": [], "instance": {}}"#, ProblemDetails()),
            (#"{"status": 99}"#, ProblemDetails()), (#"{"status": 600}"#, ProblemDetails()),
            (#"{"status": 1e400}"#, ProblemDetails()), (#"{"status": 404.5}"#, ProblemDetails()),
            (#"{"title": "a", "title": "b"}"#, ProblemDetails(title: "a")),
        ] as [(String, ProblemDetails)]
    )
    func members(_ text: String, _ expected: ProblemDetails) async throws {
        #expect(await error(chain(text))?.problemDetails == expected)
    }

    @Test(
        "are there only with their media type, a refusing status, and an object",
        arguments: [
            (credit, 403, "application/problem+json; charset=utf-8", true),
            (credit, 403, "Application/Problem+JSON", true),
            (credit, 403, "application/json", false), (credit, 403, nil, false),
            (credit, 403, "application/problem+xml", false),
            ("[]", 403, type, false), ("\"x\"", 403, type, false), ("{", 403, type, false), ("", 403, type, false),
            (String(repeating: "[", count: 100_000), 403, type, false),
        ] as [(String, Int, String?, Bool)]
    )
    func conditions(_ text: String, _ status: Int, _ type: String?, _ areThere: Bool) async throws {
        let error = await error(chain(text, status: status, type: type))
        #expect(error?.status == status)
        #expect((error?.problemDetails != nil) == areThere)
        #expect(error?.message.contains("No credit.") == areThere)
        let mapped = chain(text, status: status, type: type) { $0.mapFailure(as: ProblemDetails.self) }
        let thrown = await #expect(throws: (any Error).self) { try await mapped.call() }
        #expect((thrown is ProblemDetails) == areThere)
    }

    @Test("do not replace the error of a model that cannot be decoded, though any object would do")
    func notOfSuccess() async throws {
        struct User: Decodable, Sendable { let name: String }
        let client = Client(transport: ClosureTransport(status: 200, headers: [:], #"{"title": "Dr"}"#))
            .mapFailure(as: ProblemDetails.self)
        let chain: Chain<Void, User> = UrlChainsBuilder<String>(client: client).route(.get, "https://a.test/").build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .decodingFailed)
    }

    @Test(
        "title and detail are in the line of the error, short, without secrets and line breaks",
        arguments: [
            (credit, "status 403: No credit.: 30 is less than 50."),
            (#"{"title": "No credit."}"#, "status 403: No credit."),
            (#"{"detail": "a\nb"}"#, #"status 403: a\nb"#), ("{}", "status 403"), (#"{"title": ""}"#, "status 403"),
        ]
    )
    func line(_ text: String, _ end: String) async throws {
        let error = await error(chain(text))
        #expect(error?.message.hasSuffix(end) == true, "\(error?.message ?? "")")
        #expect(error?.description.hasSuffix(end) == true, "\(error?.description ?? "")")
    }

    @Test(
        "of any size and content make a short line",
        arguments: ["x", "\u{301}", "\\u0000", "\u{202E}", "a ", "\"\\\"\"", "https://a.test/?token=s3cretS3cret "]
    )
    func hostile(_ part: String) async throws {
        for count in [1, 400, 100_000] {
            let detail = String(repeating: part.replacing("\"", with: ""), count: count)
            let error = await error(chain(#"{"detail": "\#(detail)", "title": "t"}"#))
            #expect(error?.status == 403)
            #expect((error?.message ?? "").unicodeScalars.count < 450)
            #expect(error?.message.contains("s3cret") == false)
        }
        #expect(ProblemDetails(type: String(repeating: part, count: 9000)).description.unicodeScalars.count <= 301)
    }

    @Test("are read by any decoder, and from any object that is named as such")
    func decoders() async throws {
        let foundation = try JSONDecoder().decode(ProblemDetails.self, from: Data(Self.credit.utf8))
        let error = await error(chain(Self.credit, type: "application/json"))
        #expect(try error?.decodeBody(as: ProblemDetails.self) == foundation)
        #expect(foundation.extensions == ["balance": 30])
    }

    @Test("describe themselves by title and detail, or by their type")
    func description() {
        #expect("\(ProblemDetails(title: "No.", detail: "Ask again.", extensions: ["x": 1]))" == "No.: Ask again.")
        #expect("\(ProblemDetails(type: "/no?token=s3cretS3cret"))".contains("s3cret") == false)
        #expect(ProblemDetails().errorDescription == "about:blank")
    }
}
