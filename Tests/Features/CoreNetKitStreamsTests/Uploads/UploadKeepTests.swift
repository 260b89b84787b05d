import CoreNetKitObservability
import CoreNetKitStreams
import TestSupport

@Suite("An upload knows its file, its target and its user", .timeLimit(.minutes(10)), .paced)
struct UploadKeepTests: UploadSuite {
    let host: UploadHost
    let clock = ManualClock()
    private let tokens = TokenRefresher(token: AccessToken("old"), origins: .any, user: "ann") { _ in
        AccessToken("new")
    }

    init() throws {
        host = try UploadHost(isTus: true)
        try Data(content).write(to: file)
        try Self.date(file)
    }

    /// Long ago, so that no change is within the same tick of the file system's clock.
    private static func date(_ file: URL) throws {
        let date = Date(timeIntervalSince1970: 1_000_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
    }

    private func upload(to host: UploadHost? = nil, _ change: (Client) -> Client = { $0 }) async throws -> Upload {
        try await upload(.tus(chunk: 30_000), to: host, change)
    }

    // MARK: - The file

    /// What happens to a file while it is sent.
    enum Change: CaseIterable {
        case rewritten, replaced, cut, longer, removed
    }

    @Test("that changes between two requests ends with fileChanged", arguments: Change.allCases)
    func changes(_ change: Change) async throws {
        let (file, content, folder) = (file, content, folder)
        let taken = Locked(0)
        host.state.withLock { state in
            state.onTaken = { _ in
                guard taken.next() == 1 else { return }
                do { try Self.make(change, of: file, content, in: folder) } catch { Issue.record(error) }
            }
        }
        let (error, code) = await failure { try await upload() }
        #expect(code == .fileChanged && error?.code == .requestBodyFailed)
        #expect(host.state.withLock { $0.bytes } == Array(content.prefix(30_000)))
    }

    private static func make(_ change: Change, of file: URL, _ content: [UInt8], in folder: TemporaryFolder) throws {
        let other = Data(content.map { $0 ^ 0xFF })
        switch change {
        case .rewritten: try other.write(to: file)
        case .replaced:
            let next = folder["next"]
            try other.write(to: next)
            try date(next)
            try PosixFiles().rename(next.path, to: file.path)
        case .cut: try Data(content.prefix(50_000)).write(to: file)
        case .longer: try (Data(content) + [1]).write(to: file)
        case .removed: try FileManager.default.removeItem(at: file)
        }
    }

    @Test("that differs at the next start begins anew, even if size and time are the same")
    func another() async throws {
        try await breakOff()
        let other = content.map { $0 ^ 0xFF }
        try Self.make(.replaced, of: file, content, in: folder)
        #expect(try await upload().reused == 0)
        #expect(host.state.withLock { $0.bytes } == other)
    }

    // MARK: - The request

    /// Leaves a journal behind as a process does that ends in the middle.
    private func breakOff(_ change: (Client) -> Client = { $0 }) async throws {
        host.state.withLock { $0.breaks = 0 }
        await #expect(throws: NetworkError.self) { try await upload(.tus(), change) }
        host.state.withLock { [content] in ($0.breaks, $0.bytes) = (nil, Array(content[..<40_000])) }
        #expect(FileManager.default.fileExists(atPath: journal.path))
    }

    @Test("a journal of another server sends nothing there")
    func otherServer() async throws {
        let second = try UploadHost(isTus: true)
        try await breakOff()
        let before = host.server.requests.count
        #expect(try await upload(to: second).reused == 0)
        #expect(host.server.requests.count == before)
        #expect(second.state.withLock { $0.bytes } == content)
    }

    @Test("a journal of another user is not used, one of the same user continues", arguments: ["ann", "bob"])
    func otherUser(_ name: String) async throws {
        try await breakOff { $0.set(partition: Partition("ann")) }
        #expect(try !String(contentsOf: journal, encoding: .utf8).contains("ann"))
        let result = try await upload { $0.set(partition: Partition(name)) }
        #expect(result.reused == (name == "ann" ? 40_000 : 0))
        #expect(host.state.withLock { $0.bytes } == content)
    }

    @Test("a journal of the same file with another server name starts anew")
    func otherMetadata() async throws {
        try await breakOff()
        #expect(try await upload(.tus(metadata: ["filename": "b"])).reused == 0)
    }

    @Test(
        "a name of the metadata that would be several, or another one, is refused",
        arguments: ["a,b", "a b", "", "ä", "a\n"]
    )
    func malformedMetadata(_ name: String) async throws {
        await expectFailure(.invalidRequest) { try await upload(.tus(metadata: [name: "1", "c": "2"])) }
        #expect(host.server.requests.isEmpty)
    }

    // MARK: - The token

    @Test("a token refused in the middle is renewed, and the server is asked what it has")
    func token() async throws {
        host.state.withLock { state in
            state.token = "old"
            state.onTaken = { $0.token = "new" }
        }
        _ = try await upload { $0.authorize(tokens) }
        #expect(host.state.withLock { $0.bytes } == content)
        let requests = host.server.requests.map { "\($0.method) \($0.headers["Authorization"] ?? "")" }
        let old = ["POST Bearer old", "PATCH Bearer old", "PATCH Bearer old"]
        #expect(requests == old + ["HEAD Bearer new"] + Array(repeating: "PATCH Bearer new", count: 3))
    }

    @Test("a token refused again ends it as unauthorized", arguments: [true, false])
    func refused(_ isTus: Bool) async throws {
        let host = try UploadHost(isTus: isTus)
        host.state.withLock { $0.token = "none" }
        let method = isTus ? UploadMethod.tus() : .draft()
        let (error, code) = await failure { try await upload(method, to: host) { $0.authorize(tokens) } }
        #expect(error?.code == .unauthorized && code == .refused)
        #expect(host.server.requests.count <= 4)
    }

    // MARK: - The policies

    @Test("the breaker sees the statuses of an upload's requests")
    func breaker() async throws {
        host.state.withLock { $0.refusals = Array(repeating: 503, count: 100) }
        let breaker = CircuitBreaker(minimumCalls: 3)
        await expectFailure(.circuitOpen) { try await upload { $0.breaker(breaker) } }
        #expect(host.server.requests.count == 3)
    }

    @Test("the budget of repetitions counts those of an upload, which ends when it is used up", arguments: [0, 10])
    func budget(_ floor: Int) async throws {
        host.state.withLock { $0.refusals = [503, 503] }
        let budget = RetryBudget(ratio: 0, floor: floor)
        guard floor == 0 else {
            _ = try await upload { $0.retryBudget(budget) }
            #expect(host.state.withLock { $0.bytes } == content)
            return
        }
        let (error, _) = await failure { try await upload { $0.retryBudget(budget) } }
        #expect(error?.status == 503)
        #expect(error?.message.contains("the retry budget is used up") == true)
        #expect(host.server.requests.count == 1)
    }

    @Test("metrics count each request of an upload with its status")
    func metrics() async throws {
        host.state.withLock { $0.refusals = [503, 401] }
        let metrics = CallMetrics()
        _ = try await upload { $0.authorize(tokens).record(to: metrics) }
        let lines = metrics.prometheus.split(separator: "\n")
        func count(_ method: String, _ status: Int) -> Int {
            lines.filter {
                $0.hasPrefix("http_client_request_duration_seconds_count") && $0.contains("\"\(method)\"")
                    && $0.contains("\"\(status)\"")
            }.compactMap { Int($0.split(separator: " ").last ?? "") }.reduce(0, +)
        }
        let statuses = [("POST", 503), ("POST", 401), ("POST", 201), ("PATCH", 204)]
        #expect(statuses.map { count($0.0, $0.1) } == [1, 1, 1, 4])
        #expect(host.server.requests.count == 7)
    }

    @Test("only the upload itself repeats a request")
    func retry() async throws {
        host.state.withLock { $0.refusals = [503, 503] }
        _ = try await upload(.tus()) { $0.retry(.standard) }
        #expect(host.server.requests.map(\.method) == [.post, .post, .post, .patch])
    }
}
