import TestSupport

@Suite("Every transport: trailers of requests", .timeLimit(.minutes(10)), .paced)
struct RequestTrailerTests {
    private struct Broken: Error {}

    private static let subjects = Subject.all.filter { $0.transport.capabilities.contains(.requestTrailers) }

    private func body(_ text: String = "text", isReplayable: Bool = false) -> RequestBody {
        .stream(isReplayable: isReplayable) { Pieces(Data(text.utf8)) }
    }

    @Test("arrive in their order, also behind no content", arguments: subjects, ["", "text"])
    func order(_ subject: Subject, _ text: String) async throws {
        let peer = try Peer(subject) { .text($0.text) }
        let names = (0..<20).map { "X-Trailer-\($0)" }
        let value = String(repeating: "v", count: 300)
        let body = names.reduce(body(text)) { body, name in body.trailer(name) { "\(name) \(value)" } }
        #expect(try await peer.outcome(.put, body: body) == .response(200, text))
        let trailers = try #require(peer.seen.first).trailers
        #expect(trailers.map(\.name) == names.map(subject.spelled))
        #expect(trailers.map(\.value) == names.map { "\($0) \(value)" })
    }

    @Test("are made behind the last chunk, each time a body is sent", arguments: subjects)
    func later(_ subject: Subject) async throws {
        let peer = try Peer(subject, .ok)
        let (opened, read) = (Locked(0), Locked(0))
        let body = RequestBody.stream(isReplayable: true) {
            _ = opened.next()
            return AsyncThrowingStream<Data, any Error> {
                guard read.value < 3 * opened.value else { return nil }
                _ = read.next()
                return Data("chunk".utf8)
            }
        }
        .trailer("X-Read") { "\(read.value)" }
        for _ in 0..<2 { #expect(try await peer.outcome(.put, body: body) == .response(200, "")) }
        #expect(peer.seen.map { $0.trailers["X-Read"] } == ["3", "6"])
    }

    @Test(
        "that frame, route, authenticate or decode a message are refused before anything is sent",
        arguments: subjects,
        [
            "Content-Length", "transfer-encoding", "Host", "Trailer", "TE", "Connection", "Authorization", "Cookie",
            "Content-Type", "content-encoding", "If-Match", "Range", "Expect", "Cache-Control", "bad name", "", "a:b",
        ]
    )
    func refused(_ subject: Subject, _ name: String) async throws {
        let peer = try Peer(subject, .ok)
        let body = body().trailer("X-Sum") { "1" }.trailer(name) { "1" }
        #expect(try await peer.outcome(.put, body: body) == .failure(.invalidRequest))
        #expect(peer.seen.isEmpty)
    }

    @Test("follow content in memory and files, which are sent like streams", arguments: subjects, [0, 1, 1 << 20])
    func noStream(_ subject: Subject, _ count: Int) async throws {
        let folder = try TemporaryFolder()
        let content = Data(repeating: 0x61, count: count)
        let file = try folder.file(content)
        let peer = try Peer(subject, .ok)
        for body in count == 0 ? [.empty, .file(file)] : [RequestBody.bytes(content), .file(file)] {
            #expect(try await peer.outcome(.put, body: body.trailer("X-Sum") { "1" }) == .response(200, ""))
        }
        #expect(peer.seen.count == 2)
        for seen in peer.seen {
            #expect(seen.trailers.map(\.name) == [subject.spelled("X-Sum")] && seen.body == content)
        }
    }

    @Test("that cannot be made, or would end their line, fail the request", arguments: subjects, [nil, "a\r\nX: b"])
    func invalidValue(_ subject: Subject, _ value: String?) async throws {
        let peer = try Peer(subject, .ok)
        let body = body().trailer("X-Sum") {
            guard let value else { throw Broken() }
            return value
        }
        #expect(try await peer.outcome(.put, body: body) == .failure(.requestBodyFailed))
    }

    @Test("are refused where they cannot be sent", arguments: Subject.all)
    func unsupported(_ subject: Subject) async throws {
        guard !Self.subjects.contains(subject) else { return }
        let peer = try Peer(subject, .ok)
        #expect(try await peer.outcome(.put, body: body().trailer("X-Sum") { "1" }) == .failure(.unsupported))
        #expect(peer.seen.isEmpty)
    }

    #if os(Linux)
        @Test("of a stream of HTTP/2 leave the others of its connection alone", arguments: [Subject.http2])
        func together(_ subject: Subject) async throws {
            guard subject.isAvailable else { return }
            let peer = try Peer(subject) { .text($0.trailers["X-Sum"] ?? $0.text) }
            let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
                for number in 0..<40 {
                    let text = String(repeating: "x", count: number * 3000)
                    let plain = body(text)
                    let body = number % 2 == 0 ? plain.trailer("X-Sum") { "\(number)" } : .bytes(Data("\(number)".utf8))
                    group.addTask { try await peer.outcome(.put, body: body) }
                }
                return try await group.reduce(into: [Outcome]()) { $0.append($1) }
            }
            #expect(Set(outcomes.map(\.description)) == Set((0..<40).map { "200 \"\($0)\"" }))
        }
    #endif
}
