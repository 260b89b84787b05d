import CoreNetKitStreams
import TestSupport

@Suite("Downloads that may already be there", .timeLimit(.minutes(10)), .paced)
struct DownloadRefreshTests: DownloadSuite {
    let host: FileHost

    init() throws {
        host = try FileHost(FileHost.content(50_000))
        // As servers do: a condition goes before a range (RFC 9110, 13.2.2).
        let settings = host.settings
        settings.withLock {
            $0.change = { request, response in
                let tag = settings.withLock { $0.tag }
                return request.headers["If-None-Match"] == tag ? .status(304, headers: ["ETag": tag]) : response
            }
        }
    }

    private func load(
        _ check: DownloadCheck = .size,
        refresh: DownloadRefresh = .ifChanged,
        from url: URL? = nil
    ) async throws -> Download { try await chain(check, refresh: refresh, from: url).process() }

    private var conditions: [String?] { host.server.requests.map { $0.headers["If-None-Match"] } }

    private func expectCurrent(_ bytes: [UInt8]? = nil) throws {
        try expectComplete(bytes, beside: ["file.bin.current.json"])
    }

    @Test("a target that the server calls current is kept, and nothing is loaded; another query is the same place")
    func current() async throws {
        let first = try await load()
        #expect(!first.isUnchanged)
        let inode = try PosixFiles().status(of: target.path)?.inode
        for query in ["", "?signature=2"] {
            let again = try await load(from: host.server.url("/file\(query)"))
            #expect(again.isUnchanged)
            #expect((again.size, again.reused) == (content.count, content.count))
            #expect(again.file == target)
        }
        #expect(conditions == [nil, "\"1\"", "\"1\""])
        #expect(try PosixFiles().status(of: target.path)?.inode == inode)
        try expectCurrent()
    }

    @Test("changed content is loaded, and is what the next request asks about")
    func changed() async throws {
        _ = try await load()
        let other = FileHost.content(70_000)
        host.settings.withLock { ($0.content, $0.tag) = (other, "\"2\"") }
        #expect(try await !load().isUnchanged)
        try expectCurrent(other)
        #expect(try await load().isUnchanged)
        #expect(conditions == [nil, "\"1\"", "\"2\""])
    }

    @Test("no request asks about a target that was written, replaced or removed by others, nor without the option")
    func touched() async throws {
        _ = try await load(refresh: .always)
        #expect(folder.names == ["file.bin"])
        _ = try await load()
        let handle = try FileHandle(forWritingTo: target)
        try handle.write(contentsOf: Data([1, 2, 3]))
        try handle.close()
        _ = try await load()
        try expectCurrent()
        try Data(content).write(to: target, options: .atomic)
        _ = try await load()
        try FileManager.default.removeItem(at: target)
        _ = try await load()
        _ = try await load(from: host.server.url("/file/other"))
        #expect(conditions == Array(repeating: nil, count: 6))
        try expectCurrent()
    }

    @Test("a digest applies to existing content too: with another one it is loaded")
    func digest() async throws {
        _ = try await load()
        #expect(try await load(.sha256(Hex.encode(SHA256.digest(content)))).isUnchanged)
        let other = DownloadCheck.sha256(String(repeating: "0", count: 64))
        #expect(await failure(chain(other, refresh: .ifChanged)).code == .digestMismatch)
        #expect(conditions == [nil, "\"1\"", "\"1\"", nil])
        #expect(try Array(Data(contentsOf: target)) == content)
    }

    @Test("a 304 about something else does not count: the content is loaded")
    func otherTag() async throws {
        _ = try await load()
        host.settings.withLock { settings in
            settings.change = { request, response in
                request.headers.contains("If-None-Match") ? .status(304, headers: ["ETag": "\"9\""]) : response
            }
        }
        #expect(try await !load().isUnchanged)
        #expect(conditions == [nil, "\"1\"", nil])
        try expectCurrent()
    }

    @Test("a newer state that broke off is continued, and dropped if the server returns to the existing one")
    func part() async throws {
        _ = try await load()
        let other = FileHost.content(70_000)
        for isRestored in [true, false] {
            host.settings.withLock { ($0.content, $0.tag, $0.breaks) = (other, "\"2\"", 30_000) }
            await #expect(throws: NetworkError.self) { try await self.load() }
            #expect(try Array(Data(contentsOf: target)) == content)
            host.settings.withLock { $0.breaks = nil }
            guard isRestored else { break }
            host.settings.withLock { ($0.content, $0.tag) = (self.content, "\"1\"") }
            #expect(try await load().isUnchanged)
            try expectCurrent()
        }
        #expect(try await load().reused == 30_000)
        #expect(host.server.requests.last?.headers["If-Range"] == "\"2\"")
        try expectCurrent(other)
    }
}
