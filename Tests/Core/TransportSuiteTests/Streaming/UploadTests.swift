import TestSupport

@Suite("Every transport: request bodies that fail", .timeLimit(.minutes(10)), .paced)
struct UploadTests {
    private struct Broken: Error {}

    private func stream(_ count: Int, then error: (any Error)?) -> any AsyncSequence<Data, any Error> {
        AsyncThrowingStream { continuation in
            for _ in 0..<count { continuation.yield(Data(count: 10)) }
            continuation.finish(throwing: error)
        }
    }

    @Test("fails when the sequence fails", arguments: Subject.all)
    func sequence(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let body = RequestBody.stream { stream(3, then: Broken()) }
        #expect(try await peer.outcome(.post, body: body) == .failure(.requestBodyFailed))
    }

    @Test("fails when the sequence has more or fewer bytes than promised", arguments: Subject.all, [20, 29, 31, 400])
    func length(_ subject: Subject, _ promised: Int64) async throws {
        let peer = try Peer(subject, .ok)
        let body = RequestBody.stream(length: promised) { stream(3, then: nil) }
        #expect(try await peer.outcome(.post, body: body) == .failure(.bodyLengthMismatch))
        if subject == .mock { #expect(peer.seen.isEmpty) }
    }

    @Test("fails if the file is missing or not a file", arguments: Subject.wires)
    func file(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        let peer = try Peer(subject, .ok)
        for url in [directory["none"], directory.url] {
            #expect(try await peer.outcome(.post, body: .file(url)) == .failure(.requestBodyFailed))
        }
        #expect(peer.seen.isEmpty)
    }

    #if os(Linux)
        @Test("reads a file that says it is empty, as those of /proc do", arguments: Subject.wires)
        func unsized(_ subject: Subject) async throws {
            let version = URL(fileURLWithPath: "/proc/version")
            let content = try #require(FileManager.default.contents(atPath: version.path))
            let peer = try Peer(subject) { .text($0.text) }
            let text = String(decoding: content, as: UTF8.self)
            #expect(try await peer.outcome(.put, body: .file(version)) == .response(200, text))
            let directory = try TemporaryFolder()
            #expect(try await peer.outcome(.put, body: .file(directory.file(Data()))) == .response(200, ""))
        }
    #endif

    @Test("sends part of a file, again too, and fails if the file does not have it", arguments: Subject.all)
    func range(_ subject: Subject) async throws {
        let directory = try TemporaryFolder()
        let content = Data.numbered(300_000)
        let file = try directory.file(content)
        let peer = try Peer(subject) { .text("\($0.body.count)") }
        for (range, count) in [(0..<300_000, 300_000), (7..<131_080, 131_073), (299_999..<300_000, 1), (5..<5, 0)] {
            let body = RequestBody.file(file, range: Int64(range.lowerBound)..<Int64(range.upperBound))
            #expect(body.isReplayable)
            for _ in 0..<2 {
                #expect(try await peer.outcome(.put, body: body) == .response(200, "\(count)"))
                #expect(peer.seen.last?.body == content[range])
            }
        }
        let failures: [(URL, Range<Int64>, TransportError.Code)] = [
            (file, 299_999..<300_001, .bodyLengthMismatch), (directory["none"], 0..<1, .requestBodyFailed),
            (file, Int64.min..<Int64.max, .requestBodyFailed),
        ]
        for (url, range, code) in failures {
            #expect(try await peer.outcome(.put, body: .file(url, range: range)) == .failure(code))
        }
    }

    @Test("opens a sequence once for each time it is sent", arguments: Subject.all)
    func opens(_ subject: Subject) async throws {
        let opened = Locked(0)
        let peer = try Peer(subject) { .text($0.text) }
        let body = RequestBody.stream(isReplayable: true) {
            _ = opened.next()
            return Pieces(Data("content".utf8))
        }
        for _ in 0..<3 { #expect(try await peer.outcome(.put, body: body) == .response(200, "content")) }
        #expect(opened.value == 3)
    }

    @Test("refuses a body with GET and HEAD if it cannot send one", arguments: Subject.all, [HTTPMethod.get, .head])
    func bodyOnGet(_ subject: Subject, _ method: HTTPMethod) async throws {
        let peer = try Peer(subject) { .text($0.text) }
        let outcome = try await peer.outcome(method, body: .bytes(Data("content".utf8)))
        if peer.transport.capabilities.contains(.bodyOnAnyMethod) {
            #expect(outcome == .response(200, method == .head ? "" : "content"))
            #expect(peer.seen.first?.text == "content")
        } else {
            #expect(outcome == .failure(.unsupported))
            #expect(peer.seen.isEmpty)
        }
    }
}
