import FileModel
import TestSupport

@testable import CoreNetKitOutbox

private func request(
    _ url: String = "https://api.example.com/",
    headers: Headers = [:],
    body: RequestBody = .empty
) -> OutboxRequest {
    OutboxRequest(method: .post, url: TestSupport.url(url), headers: headers, body: body)
}

private let once = RequestBody.stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }

@Suite("Bad input is refused before anything is stored", .timeLimit(.minutes(10)), .paced)
struct BadInputTests {
    private var (files, _, outbox) = Outbox.onModel()
    private let server = TestServer()

    @Test("requests that cannot be stored")
    func requests() async throws {
        #expect(await code { try await outbox.enqueue(request(body: once)) } == .unrepeatableBody)
        #expect(await code { try await outbox.enqueue(request(headers: ["Authorization": "x"])) } == .secretField)
        #expect(await code { try await outbox.enqueue(request("https://me:secret@example.com/")) } == .secretField)
        #expect(await code { try await outbox.enqueue(request("ftp://example.com/")) } == .invalidRequest)
        #expect(await code { try await outbox.enqueue(request("/path")) } == .invalidRequest)
        #expect(await code { try await outbox.enqueue(request(headers: ["A B": "x"])) } == .invalidRequest)
        #expect(await code { try await outbox.enqueue(request(headers: ["X": "a\nb"])) } == .invalidRequest)
        let ended = RequestBody.stream(isReplayable: true) { AsyncThrowingStream<Data, any Error> { $0.finish() } }
        let trailed = ended.trailer("X-Sum") { "1" }
        #expect(await code { try await outbox.enqueue(request(body: trailed)) } == .invalidRequest)
        let long = "https://example.com/" + String(repeating: "a", count: 2 << 20)
        #expect(await code { try await outbox.enqueue(request(long)) } == .tooLarge)
        #expect(await outbox.state.waiting == 0)
        #expect(files.paths.filter { $0.contains("blobs") }.isEmpty)
    }

    @Test("a body in its own file can be read when a dead letter is exported")
    func exportedBody() async throws {
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder.box)
        let bytes = Data(repeating: 7, count: 200_000)
        try await outbox.enqueue(request(body: .bytes(bytes)), repetition: .keyIsHonoured())
        try await outbox.drain(to: TestServer { _, _ in .status(422) })
        let letter = try #require(await outbox.deadLetters.all.first)
        let body = try await outbox.deadLetters.export(letter.id).body
        #expect(body.fileURL?.lastPathComponent == letter.id.uuidString && body.data == nil)
        #expect(try await body.collect() == bytes)
        await #expect(throws: TransportError.self) { try await body.collect(limit: 100) }
        let missing = RequestBody.file(folder.box.appendingPathComponent("missing"))
        let error = await #expect(throws: TransportError.self) { try await missing.collect() }
        #expect(error?.code == .requestBodyFailed)
    }

    @Test("invalid names, keys and times", arguments: ["", String(repeating: "k", count: 256), "a\nb"])
    func options(name: String) async throws {
        #expect(await code { try await outbox.enqueue(request(), in: name) } == .invalidOption)
        #expect(await code { try await outbox.enqueue(request(), key: name) } == .invalidOption)
        #expect(await code { try await outbox.enqueue(request(), merging: name) } == .invalidOption)
        #expect(await code { try await outbox.enqueue(request(), owner: name) } == .invalidOption)
        #expect(await code { try await outbox.enqueue(request(), expires: .zero) } == .invalidOption)
        #expect(await code { try await outbox.enqueue(request(), expires: .seconds(-1)) } == .invalidOption)
        #expect(files.calls == 0)
        try await outbox.enqueue(request(), in: String(repeating: "q", count: 255))
    }

    @Test("a full outbox refuses before writing anything, or gives up the oldest of the queue and says so")
    func full() async throws {
        let outbox = Outbox.test(files) { $0.limits.entries = 2 }
        try await outbox.put("1", in: "q")
        try await outbox.put("2", in: "q")
        let calls = files.calls
        #expect(await code { try await outbox.put("3", in: "q") } == .full)
        #expect(files.calls == calls)
        let again = Outbox.test(files.afterKill()) { options in
            options.limits.entries = 2
            options.overflow = .dropOldest
        }
        try await again.put("3", in: "q")
        #expect(await code { try await again.put("other", in: "r") } == .full)
        #expect(try await again.drain(to: server) == ["2", "3"])
        #expect(await again.state.reports.count == 1)
    }

    @Test("bytes and files have limits too")
    func limits() async throws {
        let small = Outbox.test(files) { $0.limits.bytes = 1000 }
        #expect(await code { try await small.put(String(repeating: "x", count: 2000)) } == .full)
        let blobs = Outbox.test(ModelFiles()) { $0.limits.blobBytes = 100_000 }
        #expect(await code { try await blobs.put(String(repeating: "x", count: 200_000)) } == .tooLarge)
        #expect(await blobs.state.waiting == 0)
    }

    @Test("a folder that is a file, a link, another user's or open to others is not ready, and nothing is changed")
    func folders() async throws {
        let folder = try TemporaryFolder()
        try Data("x".utf8).write(to: folder.url.appendingPathComponent("file"))
        let (files, open) = (FileManager.default, folder.url.appendingPathComponent("open"))
        try files.createDirectory(at: open, withIntermediateDirectories: false)
        try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
        try files.createSymbolicLink(at: folder.url.appendingPathComponent("link"), withDestinationURL: folder.url)
        for name in ["file", "open", "link", "none/none"] {
            let outbox = try Outbox(at: folder.url.appendingPathComponent(name))
            #expect(await code { try await outbox.put("1") } == .notReady, "\(name)")
            #expect(await outbox.state.problem != nil)
        }
        let other = try Outbox(at: URL(fileURLWithPath: "/proc/1"))
        #expect(await code { try await other.put("1") } == .notReady)
        #expect(throws: OutboxError.self) { _ = try Outbox(at: testURL) }
    }

    @Test("an unreadable folder is not ready, never empty, and ready again later")
    func notReady() async throws {
        try await Outbox.test(files).put("1")
        let after = files.afterKill()
        after.fail { operation, path in operation == .open && path.hasSuffix(".log") ? EACCES : nil }
        let outbox = Outbox.test(after)
        #expect(await code { try await outbox.put("2") } == .notReady)
        #expect(await outbox.state.problem != nil)
        #expect(await code { try await outbox.drain(to: server) } == .notReady)
        after.fail { _, _ in nil }
        #expect(try await outbox.drain(to: server) == ["1"])
    }

    @Test("a newer format is refused, and nothing is changed")
    func newer() async throws {
        try await Outbox.test(files).put("1")
        let after = files.afterKill()
        let path = try #require(after.paths.first { $0.contains("journal") })
        after.setFormat(9, ofSegment: path)
        let bytes = after.bytes(of: path)
        #expect(await code { try await Outbox.test(after).put("2") } == .newerFormat)
        #expect(after.bytes(of: path) == bytes)
    }

    @Test("If `enqueue` throws, the request is not sent, unless the code is `uncertain`: the entry's id cancels it")
    func disks() async throws {
        try await outbox.put("1")
        files.limit(capacity: files.paths.reduce(0) { $0 + (files.bytes(of: $1)?.count ?? 0) } + 10)
        #expect(await code { try await outbox.put("2") } == .storage)
        files.limit(capacity: nil)
        files.fail { operation, _ in operation == .sync ? EIO : nil }
        let error = await #expect(throws: OutboxError.self) { try await outbox.put("3") }
        #expect(error?.code == .uncertain)
        files.fail { _, _ in nil }
        #expect(try await outbox.cancel(try #require(error?.id)) == .cancelled)
        try await outbox.put("4")
        for after in [files.afterKill(), files.afterPowerLoss { $0 = false }] {
            let server = TestServer()
            try await Outbox.test(after).drain(to: server)
            #expect(server.bodies.sorted() == ["1", "4"])
        }
        // A disk that stays full still delivers, which frees space.
        files.limit(capacity: 0)
        try await outbox.drain(to: server)
        #expect(server.effects == ["1": 1, "4": 1])
    }

    @Test("this process has one outbox per folder at a time")
    func twice() throws {
        let folder = try TemporaryFolder()
        var first: Outbox? = try Outbox(at: folder.box)
        #expect(throws: OutboxError.self) { _ = try Outbox(at: folder.box) }
        first = nil
        #expect(first == nil)
        _ = try Outbox(at: folder.box)
    }

    @Test("a folder removed during use ends waiting calls, and is not taken for an empty one")
    func removed() async throws {
        try await outbox.put("1")
        for path in files.paths { try files.remove(path) }
        #expect(await code { try await outbox.put("2") } == .notReady)
        #expect(await outbox.state.reports.isEmpty == false)
    }
}
