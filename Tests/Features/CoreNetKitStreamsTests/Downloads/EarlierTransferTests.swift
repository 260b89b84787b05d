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

    private static let content = Data(FileHost.content(20_000))
    private static let page = URL(string: "http://shop.test/file?signature=1") ?? URL(filePath: "/")

    /// A server with ranges.
    private static func server() -> MockTransport {
        MockTransport { mock in
            mock.on(.get, "/file") { request in
                let text = request.headers["Range"] ?? "bytes=0-"
                let ends = text.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
                let (first, last) = (ends[0], ends.count > 1 ? min(ends[1], content.count - 1) : content.count - 1)
                guard request.headers["Range"] != nil else { return MockResponse.data(content).header("ETag", "\"1\"") }
                return MockResponse.data(content[first...last], status: 206).header("ETag", "\"1\"")
                    .header("Content-Range", "bytes \(first)-\(last)/\(content.count)")
            }
        }
    }

    private func download(_ server: MockTransport, to target: URL, segments: Int? = nil) async throws -> Download {
        let builder = UrlChainsBuilder<URL>(client: Client(transport: server)).route(.get, Self.page)
        let check = DownloadCheck.sha256(Hex.encode(SHA256.digest(Self.content)))
        if let segments { return try await builder.download(to: target, segments: segments, verify: check).process() }
        return try await builder.download(to: target, resume: .automatic, verify: check).process()
    }

    @Test("a part is continued behind what was on the disk")
    func part() async throws {
        let server = Self.server()
        let done = try await download(server, to: downloads["file"])
        #expect(done.reused == 8000)
        #expect(server.requests.map { $0.headers["Range"] } == ["bytes=8000-"])
        #expect(server.requests.map { $0.headers["If-Range"] } == ["\"1\""])
        #expect(try downloads.data("file") == Self.content)
    }

    @Test("a part of several requests is continued where each of them stopped")
    func segments() async throws {
        let server = Self.server()
        let done = try await download(server, to: downloads["segmented"], segments: 2)
        #expect(done.reused == 3000 + 2000)
        #expect(
            server.requests.compactMap { $0.headers["Range"] }.sorted() == ["bytes=12000-19999", "bytes=3000-9999"]
        )
        #expect(try downloads.data("segmented") == Self.content)
    }

    @Test("a journal is that of its file, route and user, and its upload is continued")
    func journal() async throws {
        let offset = Locked(6000)
        let server = MockTransport { mock in
            mock.on(.head, "/files/1") { _ in
                MockResponse.status(
                    200,
                    headers: ["Upload-Offset": "\(offset.withLock { $0 })", "Upload-Length": "20000"]
                )
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
        ] {
            text = text.replacing(":\(old)", with: ":\(new)")
        }
        try Data(text.utf8).write(to: uploads["journal"])
        let upload = try await UrlChainsBuilder<URL>(client: Client(transport: server))
            .route(.post, URL(string: "http://shop.test/files") ?? file)
            .upload(file: file, using: .tus(metadata: ["filename": "a.bin"]), journal: uploads["journal"])
            .process()
        #expect(upload.reused == 6000)
        #expect(server.requests.map(\.method) == [.head, .patch])
        #expect(server.requests.last?.body == Self.content.dropFirst(6000))
        #expect(!FileManager.default.fileExists(atPath: uploads["journal"].path))
    }
}
