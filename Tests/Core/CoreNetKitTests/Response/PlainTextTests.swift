import TestSupport

@Suite("Text as content", .paced)
struct PlainTextTests {
    private func read(_ bytes: [UInt8], _ type: String?) throws -> String {
        let (url, headers) = (url("http://a.test"), type.map { ["Content-Type": $0] } ?? [:] as Headers)
        let response = TransportResponse(status: 200, headers: headers, body: .bytes(Data(bytes)), url: url)
        return try PlainText(response: response).string
    }

    @Test(
        "is read by its charset, regardless of case, blanks and quotation marks around it",
        arguments: [
            (nil, [0xC3, 0xA9], "é"), ("text/plain", [0xC3, 0xA9], "é"), ("text/plain; charset=utf-8", [0x41], "A"),
            ("text/plain; charset=ISO-8859-1", [0xC3, 0xA9], "Ã©"), ("text/plain;charset=latin1", [0xE9], "é"),
            ("text/plain; format=flowed; Charset = \"us-ascii\"", [0x41, 0x7A], "Az"),
            ("text/plain; charset=utf-16", [0xFE, 0xFF, 0x00, 0xE9], "é"),
            ("text/plain; charset=latin-1", [0xE9], "é"), ("text/plain; charset=l1", [0xE9], "é"),
            ("text/plain; charset=iso8859-1", [0xE9], "é"),
            ("text/plain; charset=windows-1252", [0x80, 0x99, 0xE9], "€™é"),
            ("text/plain; charset=cp1252", [0x81, 0x9F], "\u{81}Ÿ"), ("text/plain; charset=utf-16le", [0xE9, 0], "é"),
            ("text/plain; charset=UTF-16BE", [0, 0xE9], "é"),
            ("text/plain; charset=utf-16", [0xFF, 0xFE, 0xE9, 0], "é"),
            ("text/plain; charset=utf-16", [0, 0xE9], "é"),
            ("text/plain; charset=utf-16le", [0xFF, 0xFE, 0xE9, 0], "é"),
            ("text/plain; charset=utf8", [0xC3, 0xA9], "é"), ("text/plain", [0xEF, 0xBB, 0xBF, 0x41], "A"),
            ("text/plain; charset=utf-8", [0xEF, 0xBB, 0xBF], ""),
            ("text/plain; charset=unknown", [0xC3, 0xA9], "é"), ("text/plain; charset=us-ascii", [], ""),
        ] as [(String?, [UInt8], String)]
    )
    func charsets(type: String?, bytes: [UInt8], text: String) throws {
        #expect(try read(bytes, type) == text)
    }

    @Test(
        "that is invalid in its charset is an error that names it",
        arguments: [
            ("utf-16", [0xD8, 0x00]), ("utf-16le", [0x00]), ("koi8-r is unknown", [0xE9]),
            ("us-ascii", [0xC3, 0xA9]), ("us-ascii", [0x41, 0x80]), ("utf-8", [0xE9]), ("utf-8", [0xC3]),
        ] as [(String, [UInt8])]
    )
    func invalid(charset: String, bytes: [UInt8]) throws {
        let name = charset.prefix { $0 != " " }
        let error = #expect(throws: NetworkError.self) { try read(bytes, "text/plain; charset=\(name)") }
        #expect(error?.code == .decodingFailed)
        #expect(error?.message.contains(name) == true)
        #expect(error?.message.contains("unknown") == (name != charset))
    }
}

@Suite("The ending of a stream", .timeLimit(.minutes(10)), .paced)
struct StreamEndingTests {
    private static let transport = ClosureTransport { request in
        let rest = Locked(["a", "b"])
        let stream = ResponseStream(
            next: { rest.withLock { $0.isEmpty ? nil : Data($0.removeFirst().utf8) } },
            cancel: {},
            ending: { rest.withLock(\.isEmpty) ? .init(trailers: ["X-Sum": "6"]) : nil }
        )
        return .init(status: 200, body: .stream(stream), url: request.url)
    }

    @Test("comes through the chain: trailers and timings are known at the end of the content")
    func trailers() async throws {
        let builder = UrlChainsBuilder<String>(client: Client(transport: Self.transport)).route(.get, "https://a.test/")
        for builder in [builder, builder.limit(ConcurrencyLimiter()), builder.group(Client.CallGroup())] {
            let stream: ResponseStream = try await builder.loadStream().process()
            #expect(stream.ending == nil)
            for try await _ in stream {}
            #expect(stream.ending?.trailers["X-Sum"] == "6")
        }
    }
}
