import TestSupport

@Suite("Contents of another program's archive", .paced)
struct ArchiveContentTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "are bytes if they are marked as Base64, and text otherwise",
        arguments: [(#""text":"AP8B","encoding":"base64""#, [0, 255, 1]), (#""text":"AP8B""#, Array("AP8B".utf8))]
            as [(String, [UInt8])]
    )
    func contents(content: String, bytes: [UInt8]) async throws {
        let archive = """
            {"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://a.test/x","headers":[]},\
            "response":{"status":200,"headers":[],"content":{"mimeType":"image/png",\(content)}}}]}}
            """
        let file = folder["tape.har"]
        try Data(archive.utf8).write(to: file)
        let url = try #require(URL(string: "http://a.test/x"))
        let response = try await Cassette(file).send(TransportRequest(url: url))
        #expect(try await Array(response.body.collect()) == bytes)
    }

    @Test("that is missing everywhere is an error; where some responses have theirs, the archive is a tape")
    func missing() async throws {
        let file = folder["tape.har"]
        func entry(_ content: String) -> String {
            """
            {"request":{"method":"GET","url":"http://a.test/x","headers":[]},\
            "response":{"status":200,"headers":[],"content":{"mimeType":"text/plain","size":2\(content)}}}
            """
        }
        func write(_ entries: String...) throws {
            try Data("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.joined(separator: ","))]}}".utf8).write(
                to: file
            )
        }
        try write(entry(""), entry(""))
        let error = #expect(throws: CassetteError.self) { try Cassette(file) }
        #expect(error?.code == .withoutContents)
        try write(entry(""), entry(",\"text\":\"ok\""))
        #expect(throws: Never.self) { try Cassette(file) }
    }
}
