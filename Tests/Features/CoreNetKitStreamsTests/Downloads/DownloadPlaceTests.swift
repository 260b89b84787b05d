import CoreNetKitStreams
import TestSupport

@Suite("A partial download belongs to one place", .timeLimit(.minutes(10)), .paced)
struct DownloadPlaceTests: DownloadSuite {
    let host: FileHost
    /// As long, and with the same entity tag.
    private let other = FileHost.content(200_001).suffix(200_000).map { $0 ^ 0x55 }

    init() throws { host = try FileHost(FileHost.content(200_000)) }

    private func breakOff(_ url: URL? = nil) async throws { try await breakOff(behind: 60_000, from: url) }

    private func load(
        _ url: URL,
        resume: DownloadResume = .automatic,
        verify: DownloadCheck = .size
    ) async throws -> Download { try await chain(verify, resume: resume, from: url).process() }

    @Test("another path or origin with an equal entity tag starts anew", arguments: [false, true])
    func elsewhere(isOrigin: Bool) async throws {
        try await breakOff()
        let mirror = isOrigin ? try FileHost(other) : host
        mirror.settings.withLock { [other] in $0.content = other }
        #expect(try await load(isOrigin ? mirror.url : host.server.url("/file/other")).reused == 0)
        try expectComplete(other)
        #expect(mirror.ranges.allSatisfy { $0 == nil })
    }

    @Test("another query continues: a signature is new each time")
    func query() async throws {
        try await breakOff(host.server.url("/file?signature=1"))
        #expect(try await load(host.server.url("/file?signature=2")).reused == 60_000)
        try expectComplete()
    }

    @Test("a part from elsewhere is used if permitted, or if a digest is compared")
    func said() async throws {
        for (resume, check) in [
            (DownloadResume.sameContent, DownloadCheck.size), (.automatic, .sha256(Hex.encode(SHA256.digest(content)))),
        ] {
            try await breakOff()
            let mirror = try FileHost(content)
            #expect(try await load(mirror.url, resume: resume, verify: check).reused == 60_000)
            #expect(mirror.ranges == ["bytes=60000-"])
            try expectComplete()
        }
    }

    @Test("with a digest the wrong content from elsewhere is loaded again")
    func digest() async throws {
        try await breakOff()
        let mirror = try FileHost(other)
        let check = DownloadCheck.sha256(Hex.encode(SHA256.digest(other)))
        #expect(try await load(mirror.url, verify: check).reused == 0)
        try expectComplete(other)
        #expect(mirror.ranges == ["bytes=60000-", nil])
    }

    @Test("an error from another place leaves the part to the first one")
    func error() async throws {
        try await breakOff()
        await #expect(throws: NetworkError.self) { try await load(host.server.url("/missing")) }
        #expect(try await load(host.url).reused == 60_000)
        try expectComplete()
    }

    @Test("a part of unknown origin starts anew, and the sidecar reveals no secret")
    func unknown() async throws {
        try await breakOff(host.server.url("/file?token=s3cret"))
        let sidecar = target.appendingPathExtension("part.json")
        let text = try String(contentsOf: sidecar, encoding: .utf8)
        #expect(text.contains("\"place\"") && !text.contains("s3cret"))
        var object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        object["place"] = nil
        try JSONSerialization.data(withJSONObject: object).write(to: sidecar)
        #expect(try await load(host.url).reused == 0)
        try expectComplete()
    }
}
