import CoreNetKitStreams
import TestSupport

@Suite("Uploads of bytes and streams, checksums, ends, over a socket", .timeLimit(.minutes(10)), .paced)
struct UploadContentTests: UploadSuite {
    let host: UploadHost
    let clock = ManualClock()
    private let opened = Locked(0)

    init() throws { host = try UploadHost(isTus: true) }

    private func stream(length: Int, isReplayable: Bool = false) -> RequestBody {
        .pieces(content, of: 7_001, length: Int64(length), isReplayable: isReplayable, opened: opened)
    }

    private func body(_ kind: String) -> RequestBody {
        kind == "bytes" ? .bytes(Data(content)) : stream(length: content.count)
    }

    @Test(
        "bytes and streams continue where they broke off, and a stream is read once",
        arguments: ["bytes", "stream"],
        [UploadMethod.tus(), .tus(chunk: 30_000), .draft(isCareful: true), .draft(chunk: 30_000), .draft()]
    )
    func breaks(kind: String, method: UploadMethod) async throws {
        let isTus = [.tus(), .tus(chunk: 30_000)].contains(method)
        let host = try UploadHost(isTus: isTus)
        host.state.withLock { ($0.breaks, $0.breakCount) = (20_000, 2) }
        let monitor = TransferMonitor()
        let result = try await run(builder(host).upload(body(kind), using: method, progress: monitor))
        #expect(host.state.withLock { $0.bytes } == content)
        #expect((200...204).contains(result.status))
        #expect(host.server.requests.count { $0.method == .head } == 2)
        #expect(monitor.current.isFinished)
        #expect(opened.withLock { $0 } == (kind == "stream" ? 1 : 0))
    }

    @Test("empty content is an upload too")
    func empty() async throws {
        let host = try UploadHost(isTus: true, size: 0)
        _ = try await run(builder(host).upload(.empty, using: .tus()))
        _ = try await run(builder(host).upload(.pieces([], of: 1, length: 0, opened: opened), using: .tus()))
        #expect(host.server.requests.map(\.method) == [.post, .post])
    }

    #if os(Linux)
        @Test("a file that says it is empty, as those of /proc do, is sent with its content")
        func unsized() async throws {
            let version = URL(filePath: "/proc/version")
            let content = try #require(FileManager.default.contents(atPath: version.path))
            let host = try UploadHost(isTus: true)
            _ = try await run(builder(host).upload(.file(version), using: .tus()))
            #expect(host.state.withLock { $0.bytes } == Array(content))
        }
    #endif

    @Test("what the server has forgotten is read again where that can be done, and is an error where not")
    func forgotten() async throws {
        for isReplayable in [true, false] {
            let host = try UploadHost(isTus: true)
            // Behind the third piece it forgets all of it, once.
            host.state.withLock { state in
                state.onTaken = { state in
                    guard state.bytes.count >= 60_000 else { return }
                    (state.isCreated, state.bytes, state.onTaken) = (false, [], nil)
                }
            }
            let body = stream(length: content.count, isReplayable: isReplayable)
            let chain = builder(host).upload(body, using: .tus(chunk: 20_000))
            guard isReplayable else {
                #expect(await failure { try await run(chain) }.code == .unusableContent)
                continue
            }
            _ = try await run(chain)
            #expect(host.state.withLock { $0.bytes } == content)
        }
        #expect(opened.withLock { $0 } == 3)
    }

    @Test(
        "a stream that has another length than it says is an error, also where a piece ends",
        arguments: [-1, 0, 7001, 98014, 99_999, 100_001]
    )
    func lengths(length: Int) async throws {
        for method in [UploadMethod.tus(), .tus(chunk: 30_000), .draft()] {
            let host = try UploadHost(isTus: method != .draft(), size: length)
            let (error, code) = await failure {
                try await run(builder(host).upload(stream(length: length), using: method))
            }
            #expect(error?.code == .requestBodyFailed && code == .unusableContent)
            #expect(host.state.withLock { $0.bytes.count } < max(1, length))
        }
    }

    @Test("a stream with trailers is refused, because its requests are parts of it")
    func trailers() async throws {
        let body = stream(length: content.count).trailer("X-Sum") { "1" }
        #expect(await failure { try await run(builder().upload(body, using: .tus())) }.code == .unusableContent)
        #expect(host.server.requests.isEmpty)
    }

    @Test("a throwing stream ends the upload with its error")
    func throwing() async throws {
        struct Trouble: Error {}
        let body = RequestBody.stream(length: 100) {
            AsyncThrowingStream<Data, any Error> { $0.finish(throwing: Trouble()) }
        }
        let (error, _) = await failure { try await run(builder().upload(body, using: .tus())) }
        #expect(error?.code == .requestBodyFailed && error?.cause is Trouble)
    }

    @Test("each request carries the checksum of its bytes; those that were damaged on their way are sent again")
    func checksums() async throws {
        for checksum in [UploadMethod.Checksum.sha1, .sha256] {
            host.state.withLock { state in
                state.onTaken = { state in (state.refusals, state.onTaken) = ([460], nil) }
            }
            let before = host.server.requests.count
            let method = UploadMethod.tus(chunk: 40_000, checksum: checksum)
            _ = try await run(builder().upload(.bytes(Data(content)), using: method))
            #expect(host.state.withLock { $0.bytes } == content)
            let patches = host.server.requests.dropFirst(before).filter { $0.method == .patch }
            #expect(patches.count == 4)
            for patch in patches {
                let bytes = Array(patch.body)
                let digest = checksum == .sha1 ? SHA1.digest(bytes) : SHA256.digest(bytes)
                let name = checksum == .sha1 ? "sha1" : "sha256"
                #expect(patch.headers["Upload-Checksum"] == "\(name) \(Data(digest).base64EncodedString())")
            }
        }
    }

    @Test("an abandoned upload ends on the server, and its journal is removed unless the server refuses")
    func terminate() async throws {
        try Data(content).write(to: file)
        for status in [204, 404, 410, 403] {
            let host = try UploadHost(isTus: true)
            host.server.on(.delete, "/files/1", .status(status))
            host.state.withLock { $0.breaks = 0 }
            let method = UploadMethod.tus(metadata: ["name": "x"])
            let upload = builder(host).upload(file: file, using: method, journal: journal)
            await #expect(throws: NetworkError.self) { try await run(upload) }
            // Of another request, of another user: nothing is asked.
            #expect(try await run(builder(host).terminateUpload(journal: journal, using: .tus())) == false)
            let other = builder(host).set(partition: Partition("bob"))
            #expect(try await run(other.terminateUpload(journal: journal, using: method)) == false)
            #expect(host.server.requests.allSatisfy { $0.method != .delete })
            if status == 403 {
                let end = builder(host).terminateUpload(journal: journal, using: method)
                #expect(await failure { try await run(end) }.error?.status == 403)
                #expect(FileManager.default.fileExists(atPath: journal.path))
                continue
            }
            #expect(try await run(builder(host).terminateUpload(journal: journal, using: method)))
            #expect(host.server.requests.last?.headers["Tus-Resumable"] == "1.0.0")
            #expect(host.server.requests.last?.method == .delete)
            #expect(!FileManager.default.fileExists(atPath: journal.path))
            #expect(try await run(builder(host).terminateUpload(journal: journal, using: method)) == false)
        }
    }

    @Test("a file whose name is encoded in URLs is found by its own name")
    func encodedName() async throws {
        let file = folder["up load 100% ä"]
        try Data(content).write(to: file)
        _ = try await run(builder().upload(.file(file), using: .tus(), progress: TransferMonitor()))
        #expect(host.state.withLock { $0.bytes } == content)
    }
}
