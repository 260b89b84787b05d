import TestSupport

@testable import CoreNetKitStreams

@Suite("Uploads of streams that do not say their length", .timeLimit(.minutes(10)), .paced)
struct UploadLengthTests {
    private let clock = ManualClock()
    private let opened = Locked(0)

    /// A stream without a length.
    private func stream(_ count: Int) -> RequestBody { .pieces(FileHost.content(count), of: 7, opened: opened) }

    private func send(
        _ count: Int,
        to host: UploadHost,
        _ method: UploadMethod,
        progress: TransferMonitor? = nil
    ) async throws -> Upload {
        let chain = UrlChainsBuilder<URL>(client: Client(clock: CallClock(clock), seed: 1))
            .route(.post, host.server.url("/files"))
            .upload(stream(count), using: method, progress: progress)
        return try await clock.passing { try await chain.process() }
    }

    @Test("are created without a length, which goes with the last bytes", arguments: [99, 100, 101])
    func deferred(count: Int) async throws {
        let host = try UploadHost(isTus: true, size: count)
        let monitor = TransferMonitor()
        _ = try await send(count, to: host, .tus(chunk: 20, checksum: .sha1), progress: monitor)
        #expect(host.state.withLock { $0.bytes } == FileHost.content(count))
        let requests = host.server.requests
        #expect(requests[0].headers["Upload-Defer-Length"] == "1")
        #expect(requests.map(\.method) == [.post] + Array(repeating: .patch, count: (count + 19) / 20))
        #expect(requests.dropLast().allSatisfy { !$0.headers.contains("Upload-Length") })
        #expect(requests.last?.headers["Upload-Length"] == "\(count)")
        #expect(requests.dropFirst().allSatisfy { !$0.headers.contains("Upload-Defer-Length") })
        #expect(opened.withLock { $0 } == 1)
        #expect(monitor.current.isFinished)
    }

    @Test("are uploads of a known length where they end within the first request", arguments: [0, 1, 20])
    func short(count: Int) async throws {
        let host = try UploadHost(isTus: true, size: count)
        _ = try await send(count, to: host, .tus(chunk: 20))
        #expect(host.state.withLock { $0.bytes } == FileHost.content(count))
        #expect(host.server.requests[0].headers["Upload-Length"] == "\(count)")
        #expect(host.server.requests.allSatisfy { !$0.headers.contains("Upload-Defer-Length") })
    }

    @Test("go on where they broke off, and say their length once", arguments: [0, 5, 10], [1, 3, 6])
    func breaks(bytes: Int, request: Int) async throws {
        let host = try UploadHost(isTus: true, size: 100)
        let seen = Locked(0)
        host.state.withLock { state in
            // The break comes with the request of that number: the last one has the length.
            if request == 1 { return (state.breaks, state.breakCount) = (bytes, 1) }
            state.onTaken = { state in
                if seen.next() == request - 1 { (state.breaks, state.breakCount) = (bytes, 1) }
            }
        }
        _ = try await send(100, to: host, .tus(chunk: 17))
        #expect(host.state.withLock { $0.bytes } == FileHost.content(100))
        #expect(host.state.withLock { $0.length } == 100)
        #expect(host.server.requests.contains { $0.method == .head })
        #expect(opened.withLock { $0 } == 1)
    }

    @Test("are sent by the draft, which needs no length", arguments: [true, false])
    func draft(isCareful: Bool) async throws {
        let host = try UploadHost(isTus: false, size: 100)
        _ = try await send(100, to: host, .draft(isCareful: isCareful, chunk: 30))
        #expect(host.state.withLock { $0.bytes } == FileHost.content(100))
        let requests = host.server.requests
        #expect(requests.map(\.method) == [.post, .patch, .patch, .patch, .patch])
        #expect(requests.map { $0.headers["Upload-Complete"] } == ["?0", "?0", "?0", "?0", "?1"])
        #expect(requests.allSatisfy { !$0.headers.contains("Upload-Defer-Length") })
    }

    @Test("are refused by a server that must know the length, and the error has its response")
    func refused() async throws {
        let mock = MockTransport { $0.on(.post, "/files", .text("length required", status: 400)) }
        let chain = UrlChainsBuilder(client: Client(transport: mock)).route(.post, "http://a.test/files")
            .upload(stream(100), using: .tus(chunk: 20))
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect((error?.cause as? UploadError)?.code == .refused)
        #expect(error?.response?.excerpt() == "length required")
        #expect(mock.requests.map { $0.headers["Upload-Defer-Length"] } == ["1"])
    }

    @Test("are whole when the server has every byte and was told how many, and not before")
    func lengthLost() async throws {
        func offset(_ offset: Int) -> MockResponse {
            .status(200).header("Upload-Offset", "\(offset)").header("Upload-Defer-Length", "1")
        }
        let mock = MockTransport {
            $0.on(.post, "/files", MockResponse.status(201).header("Location", "/files/1"))
            $0.on(.patch, "/files/1", offset(20), .status(503), offset(30))
            $0.on(.head, "/files/1", offset(30))
        }
        let client = Client(transport: mock, clock: CallClock(clock), seed: 1)
        let chain = UrlChainsBuilder(client: client).route(.post, "http://a.test/files")
            .upload(stream(30), using: .tus(chunk: 20))
        _ = try await clock.passing { try await chain.process() }
        #expect(mock.requests.map(\.method) == [.post, .patch, .patch, .head, .patch])
        #expect(mock.requests.map { $0.headers["Upload-Length"] } == [nil, nil, "30", nil, "30"])
        #expect(mock.requests.last?.headers["Upload-Offset"] == "30")
    }

    @Test("end with an error where the server says that it has more than they are")
    func tooMuch() throws {
        var stepper = UploadStepper(.tus(chunk: 20), size: nil)
        #expect(stepper.unread == 0..<20)
        let base = try #require(URL(string: "http://a.test/files"))
        let create = try #require(stepper.step)
        let created = FailedResponse(status: 201, headers: ["Location": "/files/1"], url: base)
        try stepper.accept(UploadReply(created), to: create)
        let append = try #require(stepper.step)
        let appended = FailedResponse(status: 204, headers: ["Upload-Offset": "40"], url: base)
        try stepper.accept(UploadReply(appended), to: append)
        let error = #expect(throws: UploadError.self) { try stepper.learn(30) }
        #expect(error?.code == .unusableResponse)
    }
}
