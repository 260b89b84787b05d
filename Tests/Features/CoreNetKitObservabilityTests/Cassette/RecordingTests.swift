import CoreNetKitObservability
import FileModel
import TestSupport

@Suite("Recording a tape", .timeLimit(.minutes(10)), .paced)
struct RecordingTests {
    private let folder: TemporaryFolder
    private var file: URL { folder.tape }

    init() throws { folder = try TemporaryFolder() }

    private func get(_ path: String) -> TransportRequest { TransportRequest(url: url("http://a.test\(path)")) }

    private func put(_ body: RequestBody) -> TransportRequest {
        TransportRequest(method: .put, url: url("http://a.test/file"), body: body)
    }

    /// Expects a tape with these requests and no others.
    private func plays(_ paths: [String]) async throws {
        let tape = try Cassette(file)
        for path in paths { _ = try await tape.send(get(path)) }
        #expect(tape.report.isClean)
    }

    @Test("costs the same for each entry: one write, and none of earlier entries")
    func appends() async throws {
        let files = ModelFiles()
        // What is longer than this takes more calls.
        files.limit(transfers: 4096)
        let writes = Locked(0)
        files.fail { operation, _ in
            if operation == .write { writes.withLock { $0 += 1 } }
            return nil
        }
        let live = MockTransport { $0.on(.get, "/**", .json(#"{"token":"s3cret"}"#)) }
        let model = URL(fileURLWithPath: "/tape.har")
        let tape = try Cassette(model, mode: .rewrite, live: live, files: files)
        for number in 0..<400 { _ = try await tape.send(get("/\(number)")) }
        // One for the head of the archive.
        #expect(writes.withLock { $0 } == 401)
        let bytes = try #require(files.bytes(of: model.path))
        try Data(bytes).write(to: file)
        try await plays((0..<400).map { "/\($0)" })
    }

    @Test("a disk that fills up loses the exchange that did not fit, and nothing that was recorded before")
    func fullDisk() async throws {
        let files = ModelFiles()
        let live = MockTransport { $0.on(.get, "/**", .json(#"{"page":1}"#)) }
        let model = URL(fileURLWithPath: "/tape.har")
        let tape = try Cassette(model, mode: .rewrite, live: live, files: files)
        _ = try await tape.send(get("/first"))
        let before = try #require(files.bytes(of: model.path))
        // Some of the next entry has its place, and not all of it.
        for room in [0, 1, 40, 200] {
            files.limit(capacity: before.count + room)
            let error = await #expect(throws: TransportError.self) { try await tape.send(get("/second")) }
            #expect(error?.code == .fileFailed)
            #expect(files.bytes(of: model.path) == before, "\(room) bytes")
        }
        #expect(tape.report.notRecorded.count == 4)
        files.limit(capacity: nil)
        _ = try await tape.send(get("/third"))
        try Data(#require(files.bytes(of: model.path))).write(to: file)
        try await plays(["/first", "/third"])
    }

    @Test("an archive in another form stays as it was where the disk has no room for it as a tape")
    func fullForOtherForm() async throws {
        let archive = """
            {"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://a.test/x","headers":[]},\
            "response":{"status":200,"headers":[],"content":{"mimeType":"text/plain","text":"old"}}}]}}
            """
        try Data(archive.utf8).write(to: file)
        let files = ModelFiles()
        let path = file.resolvingSymlinksInPath().path
        for name in path.split(separator: "/").dropLast().indices {
            try files.makeFolder("/" + path.split(separator: "/")[...name].joined(separator: "/"))
        }
        let there = try files.open(path, .updateOrCreate)
        try files.writeAll(there, Array(archive.utf8), at: 0)
        files.close(there)
        files.limit(capacity: archive.utf8.count + 100)
        let live = MockTransport { $0.on(.get, "/**", .json("{}")) }
        let tape = try Cassette(file, mode: .append, live: live, files: files)
        _ = try? await tape.send(get("/new"))
        #expect(tape.report.notRecorded.count == 1)
        #expect(files.bytes(of: path) == Array(archive.utf8))
    }

    @Test("continues at the end of a tape, and of an archive in another form, which is kept")
    func goesOn() async throws {
        let archive = #"""
            {"log":{"entries":[{"startedDateTime":"2027-01-01T10:00:00.000Z","request":{"method":"GET",
            "url":"http://a.test/browser"},"response":{"status":200,"content":{"text":"old"}}}]}}
            """#
        try Data(archive.utf8).write(to: file)
        for number in 0..<3 {
            let live = MockTransport { $0.on(.get, "/**", .text("new \(number)")) }
            let tape = try Cassette(file, mode: .append, live: live)
            _ = try await tape.send(get("/\(number)"))
        }
        let tape = try Cassette(file)
        #expect(try await tape.send(get("/browser")).body.data == Data("old".utf8))
        for number in 0..<3 {
            #expect(try await tape.send(get("/\(number)")).body.data == Data("new \(number)".utf8))
        }
        #expect(tape.report.isClean)
    }

    @Test("keeps a refusal whose content failed as what it is, and plays it so")
    func brokenContent() async throws {
        let live = MockTransport { $0.on(.get, "/cut", .text("01234", status: 404).thenFailing(.connectionLost)) }
        for isPlayed in [false, true] {
            let tape = try isPlayed ? Cassette(file) : Cassette(file, mode: .rewrite, live: live)
            let response = try await tape.send(get("/cut"))
            #expect(response.status == 404 && response.body.data == Data("01234".utf8))
            #expect(response.contentFailure?.code == .connectionLost && tape.report.isClean)
        }
    }

    @Test("keeps and compares uploads, whether bytes, a file or a stream")
    func uploads() async throws {
        let (first, other) = (folder.url.appendingPathComponent("a"), folder.url.appendingPathComponent("b"))
        try Data("one two".utf8).write(to: first)
        try Data("another".utf8).write(to: other)
        let live = MockTransport { $0.on(.put, "/file", .text("file"), .text("stream"), .text("bytes")) }
        let tape = try Cassette(file, mode: .rewrite, live: live)
        let bodies = [RequestBody.file(first), chunks("three ", "four"), .bytes(Data("five".utf8))]
        for body in bodies { _ = try await tape.send(put(body)) }
        #expect(live.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["one two", "three four", "five"])

        let played = try Cassette(file)
        for (body, text) in [(chunks("fi", "ve"), "bytes"), (chunks("three four"), "stream"), (.file(first), "file")] {
            #expect(try await played.send(put(body)).body.data == Data(text.utf8))
        }
        #expect(played.report.isClean)
        for body in [RequestBody.file(other), chunks("other"), .empty] {
            let error = await #expect(throws: TransportError.self) { try await played.send(put(body)) }
            #expect(error?.message.contains("which differs in: body") == true)
        }
    }

    @Test("a stream that stays open delivers while it is recorded; the tape ends where its reader stopped")
    func openStream() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/open") { _ in
            .init(body: .stream(length: 1 << 20) { $0 < 2 ? Data("chunk \($0);".utf8) : Data(count: 1 << 10) })
        }
        let request = TransportRequest(url: server.url("/open"), delivery: .stream)
        let tape = try Cassette(file, mode: .recordOnce, live: Client().configuration.transport)
        guard case .stream(let stream) = try await tape.send(request).body else { throw CancellationError() }
        var iterator = stream.makeAsyncIterator()
        let first = try #require(try await iterator.next())
        #expect(first.starts(with: Data("chunk 0;".utf8)))
        #expect(!FileManager.default.fileExists(atPath: file.path))
        stream.close()
        server.stop()

        let played = try Cassette(file)
        guard case .stream(let again) = try await played.send(request).body else { throw CancellationError() }
        var reader = again.makeAsyncIterator()
        #expect(try await reader.next() == first)
        let error = await #expect(throws: TransportError.self) { try await reader.next() }
        #expect(error?.message.contains("ends here") == true)
    }

    @Test("of equal overlapping requests each keeps its response, whichever came first")
    func overlapping() async throws {
        let (sent, gate) = (Locked(0), LoopbackGate())
        let live = ClosureTransport { request in
            let number = sent.next()
            if number == 1 { try await gate.wait() }
            return TransportResponse(status: 200, headers: [:], body: .bytes(Data("\(number)".utf8)), url: request.url)
        }
        let tape = try Cassette(file, mode: .rewrite, live: live)
        let request = get("/equal")
        let first = Task { try await tape.send(request).body.data }
        while sent.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(try await tape.send(request).body.data == Data("2".utf8))
        gate.open()
        #expect(try await first.value == Data("1".utf8))

        let played = try Cassette(file)
        #expect(try await played.send(request).body.data == Data("1".utf8))
        #expect(try await played.send(request).body.data == Data("2".utf8))
    }

    @Test("an archive without contents is refused with a message, or a single entry when it is requested")
    func withoutContents() async throws {
        let recorder = CallRecorder()
        let mock = MockTransport { $0.on(.get, "/a", .text("content")) }
        let client = Client(transport: mock).record(in: recorder)
        #expect(try await client.text("http://a.test/a") == "content")
        await client.flushRecords()
        try recorder.writeHAR(to: file)
        let error = #expect(throws: CassetteError.self) { try Cassette(file) }
        #expect(error?.code == .withoutContents)
        #expect(error?.message.contains("keepingBodies") == true)

        let mixed = #"""
            {"log":{"entries":[{"request":{"method":"GET","url":"http://a.test/a"},"response":{"status":200,
            "content":{"size":7}}},{"request":{"method":"GET","url":"http://a.test/b"},"response":{"status":200,
            "content":{"size":1,"text":"b"}}}]}}
            """#
        try Data(mixed.utf8).write(to: file)
        let tape = try Cassette(file)
        #expect(try await tape.send(get("/b")).body.data == Data("b".utf8))
        let missing = await #expect(throws: TransportError.self) { try await tape.send(get("/a")) }
        #expect(missing?.message.contains("no content") == true)
    }

    @Test("a second tape that records to the same file is refused, and the first loses nothing")
    func oneWriter() async throws {
        let live = MockTransport { $0.on(.get, "/**", .text("x")) }
        let first = try Cassette(file, mode: .recordOnce, live: live)
        let second = try Cassette(file, mode: .recordOnce, live: live)
        _ = try await first.send(get("/1"))
        let error = await #expect(throws: TransportError.self) { try await second.send(get("/2")) }
        #expect(error?.message.contains("another tape records to it") == true)
        #expect(second.report.notRecorded.count == 1)
        _ = try await first.send(get("/3"))
        try await plays(["/1", "/3"])
    }

    @Test("a file that was changed after it was read is not extended")
    func changed() async throws {
        let live = MockTransport { $0.on(.get, "/**", .text("x")) }
        do { _ = try await Cassette(file, mode: .rewrite, live: live).send(get("/1")) }
        let second = try Cassette(file, mode: .append, live: live)
        do { _ = try await Cassette(file, mode: .append, live: live).send(get("/2")) }
        let error = await #expect(throws: TransportError.self) { try await second.send(get("/3")) }
        #expect(error?.message.contains("changed since it was read") == true)
        try await plays(["/1", "/2"])
    }
}
