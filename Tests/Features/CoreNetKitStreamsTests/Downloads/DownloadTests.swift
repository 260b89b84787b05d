import FileModel
import TestSupport

@testable import CoreNetKitStreams

@Suite("Downloads that resume, over a socket", .timeLimit(.minutes(10)), .paced)
struct DownloadTests: DownloadSuite {
    let host: FileHost

    init() throws { host = try FileHost(FileHost.content(200_000)) }

    /// A part of the file, as a server sends it that goes by its own rules.
    private static func part(_ content: ArraySlice<UInt8>, tag: String = "\"1\"") -> LoopbackResponse {
        var part = LoopbackResponse.data(Data(content))
        part.status = 206
        part.headers["ETag"] = tag
        part.headers["Content-Range"] = "bytes \(content.startIndex)-\(content.endIndex - 1)/200000"
        return part
    }

    /// A part without content, as a process leaves it after the head of a response.
    private func begunPart() throws -> DownloadPart {
        let place = DownloadSidecar.resourceHash(of: host.url)
        var part = try DownloadPart(for: target.path, PosixFiles())
        try part.begin(at: 0, url: "", place: place, validator: .tag("\"1\""), total: content.count)
        return part
    }

    @Test("a file arrives whole, requested without compression, and nothing else is left")
    func whole() async throws {
        let download = try await chain().process()
        #expect(download.file == target && download.size == content.count && download.reused == 0)
        try expectComplete()
        #expect(host.server.requests.map { $0.headers["Accept-Encoding"] } == ["identity"])
        #expect(host.ranges == [nil])
    }

    @Test(
        "broken off anywhere, it continues from there with equal bytes",
        arguments: [1, 20_000, 100_000, 180_000, 199_999]
    )
    func resumes(_ place: Int) async throws {
        try await breakOff(behind: place)
        #expect(folder.names == ["file.bin.part", "file.bin.part.json"])
        #expect(try await chain(.sha256(Hex.encode(SHA256.digest(content)))).process().reused == place)
        try expectComplete()
        #expect(host.ranges == [nil, "bytes=\(place)-"])
        #expect(host.server.requests.last?.headers["If-Range"] == "\"1\"")
    }

    @Test("with retry one call does it all, each attempt from where the last one stopped")
    func retries() async throws {
        host.settings.withLock { $0.breaks = 60_000 }
        let backoff = RetryPolicy.Backoff.exponential(base: .milliseconds(1), cap: .milliseconds(1))
        let policy = RetryPolicy(limit: 10, backoff: backoff)
        let download = try await chain(client: Client().retry(policy)).process()
        #expect(download.size == content.count)
        try expectComplete()
        #expect(host.ranges == [nil, "bytes=60000-", "bytes=120000-", "bytes=180000-"])
    }

    @Test("a process killed at any tenth of a file, or at its end, leaves what the next one uses", arguments: 0...10)
    func killed(_ tenth: Int) async throws {
        let place = content.count * tenth / 10
        var part = try begunPart()
        try part.append(Data(content[..<place]))
        // The lock ends with the process; nothing else is done in order.
        part.close()
        let download = try await chain().process()
        #expect(download.reused == place)
        try expectComplete()
    }

    @Test("after a reboot only what was synced counts")
    func powerLoss() throws {
        var sidecar = DownloadSidecar(url: "", validator: .tag("\"1\""), total: 100, boot: "1")
        sidecar.synced = 30
        #expect(sidecar.held(of: 70, boot: "1").size == 70)
        #expect(sidecar.held(of: 70, boot: "2").size == 30)
        #expect(sidecar.held(of: 20, boot: "2").size == 20)
        #expect(sidecar.held(of: 70, boot: "").size == 30)
        #expect(sidecar.held(of: 101, boot: "1").size == 0)
        sidecar.validator = nil
        #expect(sidecar.held(of: 70, boot: "1").size == 0)
    }

    @Test("cancelling is how to pause: the next call continues, and its progress even for readers in between")
    func progressAfterPause() async throws {
        let gate = LoopbackGate()
        host.settings.withLock { $0.change = { $1.fault(.stall(.inBody(50_000), until: gate)) } }
        let monitor = TransferMonitor()
        let chain = chain(monitor: monitor)
        let call = Task { try await chain.process() }
        let watched = Task { await monitor.progress.reduce(into: []) { $0.append($1) } }
        for await state in monitor.progress where state.received == 50_000 { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(await watched.value.last?.isFinished == true)
        #expect(monitor.current.isFinished && monitor.current.received == 50_000)
        host.settings.withLock { $0.change = nil }
        var states = monitor.progress.makeAsyncIterator()
        #expect(await states.next()?.received == 50_000)
        #expect(try await chain.process().reused == 50_000)
        try expectComplete()
        var last: TransferProgress?
        while let state = await states.next() { last = state }
        #expect(last?.received == Int64(content.count) && last?.isFinished == true)
        #expect(last?.receivedTotal == Int64(content.count) && last?.fraction == 1)
        // A call that is complete is over: who looks now is told so, and the next call begins at zero.
        #expect(await monitor.progress.reduce(into: []) { $0.append($1.isFinished) } == [true])
    }

    @Test(
        "content that changed between the attempts is loaded again, If-Range ignored or not",
        arguments: [false, true]
    )
    func changed(isIgnored: Bool) async throws {
        try await breakOff(behind: 50_000)
        let other = Array(content.reversed())
        host.settings.withLock { settings in
            (settings.content, settings.tag) = (other, "\"2\"")
            settings.change = { request, response in
                isIgnored && request.headers.contains("Range") ? Self.part(other[50_000...], tag: "\"2\"") : response
            }
        }
        #expect(try await chain().process().reused == 0)
        try expectComplete(other)
        #expect(host.ranges == [nil, "bytes=50000-"] + (isIgnored ? [nil] : []))
    }

    @Test("a server that ignores ranges, or starts earlier, is followed")
    func otherPlaces() async throws {
        let content = content
        try await breakOff(behind: 50_000)
        host.settings.withLock { $0.change = { _, _ in Self.part(content[32_768...]) } }
        #expect(try await chain().process().reused == 32_768)
        try expectComplete()
    }

    @Test("parts smaller than requested are joined, and no part at all is an error")
    func smallParts() async throws {
        try await breakOff(behind: 50_000)
        host.settings.withLock { $0.partLimit = 60_000 }
        #expect(try await chain().process().reused == 50_000)
        try expectComplete()
        #expect(host.ranges == [nil, "bytes=50000-", "bytes=110000-", "bytes=170000-"])
    }

    @Test("a server that sends the same part again and again is an error, not a loop")
    func samePart() async throws {
        let content = content
        try await breakOff(behind: 50_000)
        host.settings.withLock { $0.change = { _, _ in Self.part(content[..<10]) } }
        #expect(await failure(chain()).code == .sizeMismatch)
        #expect(host.server.requests.count == 2)
    }

    @Test("a part without its sidecar, with a damaged one, or longer than allowed is not used")
    func badSidecar() async throws {
        for sidecar in [nil, "{", "[]"] {
            try Data("garbage".utf8).write(to: folder["file.bin.part"])
            if let sidecar { try Data(sidecar.utf8).write(to: folder["file.bin.part.json"]) }
            #expect(try await chain().process().reused == 0)
            try expectComplete()
            try FileManager.default.removeItem(at: target)
        }
    }

    @Test("existing content stays if the server refuses, and is used with another URL")
    func refused() async throws {
        try await breakOff(behind: 50_000)
        for status in [403, 404, 410, 500] {
            host.settings.withLock { $0.change = { _, _ in .status(status) } }
            #expect(await failure(chain()).error?.status == status)
        }
        host.settings.withLock { $0.change = { _, _ in .status(204) } }
        #expect(await failure(chain()).code == .unusableResponse)
        host.settings.withLock { $0.change = nil }
        #expect(try await chain().process().reused == 50_000)
    }

    @Test("bytes that differ from those promised look complete nowhere")
    func digests() async throws {
        #expect(await failure(chain(.sha256(String(repeating: "0", count: 64)))).code == .digestMismatch)
        #expect(folder.names.isEmpty)
        #expect(host.server.requests.count == 1)
        #expect(await failure(chain(.sha256("12"))).error?.code == .invalidChain)
    }

    @Test("the server's own digest is requested and compared")
    func reprDigest() async throws {
        let digest = Data(SHA256.digest(content)).base64EncodedString()
        host.settings.withLock { $0.change = { $1.header("Repr-Digest", "sha-256=:\(digest):") } }
        _ = try await chain(.reprDigest()).process()
        try expectComplete()
        #expect(host.server.requests.last?.headers["Want-Repr-Digest"] == "sha-256=10")
        host.settings.withLock {
            $0.change = { $1.header("Repr-Digest", "sha-256=:\(Data(repeating: 1, count: 32).base64EncodedString()):") }
        }
        #expect(await failure(chain(.reprDigest())).code == .digestMismatch)
        host.settings.withLock { $0.change = nil }
        #expect(await failure(chain(.reprDigest())).code == .missingDigest)
    }

    @Test("one download at a time writes to a target, and a folder is not a target")
    func targets() async throws {
        let held = try DownloadPart(for: target.path, PosixFiles())
        #expect(await failure(chain()).code == .targetBusy)
        held.close()
        try FileManager.default.createDirectory(at: target, withIntermediateDirectories: true)
        #expect(await failure(chain()).code == .targetIsFolder)
        #expect(host.server.requests.isEmpty)
    }

    @Test("a full disk is an error that keeps existing content, and nothing looks complete")
    func fullDisk() async throws {
        let disk = ModelFiles()
        try disk.makeFolder("/d")
        disk.limit(capacity: 100_000)
        let file = URL(fileURLWithPath: "/d/file")
        let policy = DownloadPolicy(target: file, resume: .automatic, check: .size, files: disk)
        let chain = UrlChainsBuilder<URL>().route(.get, host.url).download(policy)
        let failure = await failure(chain)
        #expect(failure.error?.code == .fileFailed)
        #expect(failure.code == .fileFailed)
        #expect(disk.bytes(of: "/d/file") == nil)
        disk.limit(capacity: nil)
        _ = try await chain.process()
        #expect(disk.bytes(of: "/d/file") == content)
        #expect(disk.bytes(of: "/d/file.part") == nil)
    }

    @Test("without resumption the part is not used")
    func never() async throws {
        try await breakOff(behind: 50_000)
        #expect(try await chain(resume: .never).process().reused == 0)
        #expect(host.ranges == [nil, nil])
        try expectComplete()
    }

    @Test("a refused download leaves nothing behind, and its progress ends")
    func nothingLeft() async throws {
        host.settings.withLock { $0.change = { _, _ in .status(404) } }
        let monitor = TransferMonitor()
        let states = Task { await monitor.progress.reduce(into: []) { $0.append($1) } }
        let chain = chain(monitor: monitor)
        await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(await states.value.last?.isFinished == true)
        #expect(folder.names.isEmpty)
    }
}
