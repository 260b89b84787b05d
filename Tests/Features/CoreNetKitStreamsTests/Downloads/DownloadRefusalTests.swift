import TestSupport

@testable import CoreNetKitStreams

@Suite("Downloads that are refused", .timeLimit(.minutes(10)), .paced)
struct DownloadRefusalTests: DownloadSuite {
    let host: FileHost

    init() throws { host = try FileHost(FileHost.content(3 << 20)) }

    @Test(
        "a 206 that cannot be used does not fail the calls that follow",
        arguments: ["from elsewhere", "empty", "gzip"]
    )
    func unusablePart(kind: String) async throws {
        let count = content.count
        try await breakOff(behind: 50_000)
        host.settings.withLock { settings in
            settings.change = { request, response in
                guard request.headers.contains("Range") else { return response }
                var response = response
                switch kind {
                case "empty": response.body = .data(Data())
                case "gzip": response.headers["Content-Encoding"] = "gzip"
                default: response.headers["Content-Range"] = "bytes 60000-\(count - 1)/\(count)"
                }
                return response
            }
        }
        if kind == "empty" { _ = await failure(chain()) }
        #expect(try await chain().process().reused == 0)
        try expectComplete()
        #expect(host.ranges == [nil, "bytes=50000-", nil])
    }

    private func typed(_ type: String) -> @Sendable (LoopbackRequest, LoopbackResponse) -> LoopbackResponse {
        { $1.header("Content-Type", type) }
    }

    @Test(
        "content of a media type that is not accepted leaves the target as it was, and no part of its own",
        arguments: [1, 3],
        [0, 50_000]
    )
    func mediaType(segments: Int, held: Int) async throws {
        try Data("old".utf8).write(to: target)
        let builder = UrlChainsBuilder<URL>().route(.get, host.url).accepting(["image/*"])
        func download() async throws -> Download {
            segments > 1
                ? try await builder.download(to: target, segments: segments).process()
                : try await builder.download(to: target, resume: .automatic).process()
        }
        if held > 0 {
            host.settings.withLock { ($0.breaks, $0.change) = (held, typed("image/png")) }
            await #expect(throws: NetworkError.self) { try await download() }
        }
        let before = folder.names
        host.settings.withLock { ($0.breaks, $0.change) = (nil, typed("text/html")) }
        await expectFailure(.decodingFailed) { try await download() }
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(folder.names == before)
        #expect(before.count == (held > 0 ? 3 : 1))
        host.settings.withLock { $0.change = typed("image/png") }
        let loaded = try await download()
        #expect(try Data(contentsOf: target) == Data(content))
        #expect(segments > 1 || loaded.reused == held)
    }

    @Test(
        "content that is coded is refused; an error's may be",
        arguments: [
            (200, "gzip", true), (206, "br", true), (200, "Identity", false), (200, "aws-chunked", false),
            (206, "UTF-8", false), (200, "x, GZIP", true), (404, "gzip", false), (304, "gzip", false),
        ]
    )
    func coding(status: Int, coding: String, isRefused: Bool) throws {
        let url = try #require(URL(string: "http://a.test/file"))
        let policy = DownloadPolicy(target: URL(filePath: "/tmp/file"), resume: .automatic, check: .size)
        let request = TransportRequest(url: url)
        let response = TransportResponse(status: status, headers: ["Content-Encoding": coding], url: url)
        if isRefused {
            let error = #expect(throws: NetworkError.self) { try policy.check(response, to: request) }
            #expect((error?.cause as? DownloadError)?.code == .codedContent)
        } else {
            #expect(throws: Never.self) { try policy.check(response, to: request) }
        }
    }
}
