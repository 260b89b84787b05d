import TestSupport

@testable import CoreNetKitStreams

@Suite("Transfers that version 0.2 has begun", .timeLimit(.minutes(10)), .paced)
struct EarlierTransferTests {
    private let downloads: Fixture
    private let uploads: Fixture

    init() throws {
        downloads = try Fixture("downloads")
        uploads = try Fixture("uploads")
    }

    private static let content = FileHost.content(20_000)

    private func download(_ host: FileHost, to target: URL, segments: Int? = nil) async throws -> Download {
        let builder = UrlChainsBuilder<URL>().route(.get, host.url)
        let check = DownloadCheck.sha256(Hex.encode(SHA256.digest(Self.content)))
        if let segments { return try await builder.download(to: target, segments: segments, verify: check).process() }
        return try await builder.download(to: target, resume: .automatic, verify: check).process()
    }

    @Test("a part is continued behind what was on the disk")
    func part() async throws {
        let host = try FileHost(Self.content)
        let done = try await download(host, to: downloads["file"])
        #expect(done.reused == 8000)
        #expect(host.ranges == ["bytes=8000-"])
        #expect(host.server.requests.map { $0.headers["If-Range"] } == ["\"1\""])
        #expect(try downloads.data("file") == Data(Self.content))
    }

    @Test("a part of several requests is continued where each of them stopped")
    func segments() async throws {
        let host = try FileHost(Self.content)
        let done = try await download(host, to: downloads["segmented"], segments: 2)
        #expect(done.reused == 3000 + 2000)
        #expect(host.ranges.compactMap(\.self).sorted() == ["bytes=12000-19999", "bytes=3000-9999"])
        #expect(try downloads.data("segmented") == Data(Self.content))
    }

    @Test("a journal is that of its file, route and user, and its upload is continued")
    func journal() async throws {
        let offset = Locked(6000)
        let server = MockTransport { mock in
            mock.on(.head, "/files/1") { _ in
                let now = offset.withLock { $0 }
                return MockResponse.status(200, headers: ["Upload-Offset": "\(now)", "Upload-Length": "20000"])
            }
            mock.on(.patch, "/files/1") { request in
                let now = offset.withLock { offset in
                    offset += request.body.count
                    return offset
                }
                return MockResponse.status(204, headers: ["Upload-Offset": "\(now)"])
            }
        }
        let (file, files) = (uploads["file"], PosixFiles())
        // A copy is another file.
        let identity = try FileIdentity.of(file.path, files)
        var text = String(decoding: try uploads.data("journal"), as: UTF8.self)
        let stored = try JSONDecoder().decode(UploadCheckpoint.self, from: Data(text.utf8))
        for (old, new) in [
            (stored.file.inode, identity.inode), (UInt64(stored.file.modified), UInt64(identity.modified)),
        ] { text = text.replacing(":\(old)", with: ":\(new)") }
        try Data(text.utf8).write(to: uploads["journal"])
        let upload = try await UrlChainsBuilder<URL>(client: Client(transport: server))
            .route(.post, URL(string: "http://shop.test/files") ?? file)
            .upload(file: file, using: .tus(metadata: ["filename": "a.bin"]), journal: uploads["journal"])
            .process()
        #expect(upload.reused == 6000)
        #expect(server.requests.map(\.method) == [.head, .patch])
        #expect(server.requests.last?.body == Data(Self.content.dropFirst(6000)))
        #expect(!FileManager.default.fileExists(atPath: uploads["journal"].path))
    }
}
