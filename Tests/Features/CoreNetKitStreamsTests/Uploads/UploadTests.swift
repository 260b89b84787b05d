import CoreNetKitStreams
import TestSupport

@Suite("Uploads that resume, over a socket", .timeLimit(.minutes(10)), .paced)
struct UploadTests: UploadSuite {
    let host: UploadHost
    let clock = ManualClock()

    init() throws {
        host = try UploadHost(isTus: true)
        try Data(content).write(to: file)
    }

    @Test("tus: the upload is created, sent, and the server keeps all of it", arguments: [nil, 30_000] as [Int?])
    func tus(_ chunk: Int?) async throws {
        let monitor = TransferMonitor()
        let method = UploadMethod.tus(metadata: ["filename": "ä.bin", "flag": ""], chunk: chunk)
        let result = try await upload(method, monitor: monitor)
        expectComplete()
        #expect(result.location == host.server.url("/files/1"))
        #expect(result.status == 204)
        let requests = host.server.requests
        #expect(requests.map(\.method) == [.post] + Array(repeating: .patch, count: chunk == nil ? 1 : 4))
        #expect(requests.allSatisfy { $0.headers["Tus-Resumable"] == "1.0.0" })
        #expect(requests[0].headers["Upload-Length"] == "100000")
        #expect(requests[0].headers["Upload-Metadata"] == "filename w6QuYmlu,flag")
        #expect(requests[1].headers["Content-Type"] == "application/offset+octet-stream")
        #expect(monitor.current.isFinished)
    }

    @Test("tus: an upload whose creation was told by a head alone is not created again")
    func cutCreation() async throws {
        host.state.withLock { $0.cutsCreation = true }
        _ = try await upload(.tus())
        expectComplete()
        #expect(host.server.requests.map(\.method) == [.post, .head, .patch])
    }

    @Test("the draft: one request with everything, or cautiously with one before it", arguments: [false, true])
    func draft(_ isCareful: Bool) async throws {
        let host = try UploadHost(isTus: false)
        let result = try await upload(.draft(isCareful: isCareful), to: host)
        expectComplete(host)
        #expect(String(decoding: result.body, as: UTF8.self) == "done")
        let requests = host.server.requests
        #expect(requests.map(\.method) == (isCareful ? [.post, .patch] : [.post]))
        #expect(requests.allSatisfy { $0.headers["Upload-Draft-Interop-Version"] == "8" })
        #expect(requests.map { $0.headers["Upload-Complete"] } == (isCareful ? ["?0", "?1"] : ["?1"]))
        if isCareful { #expect(requests[1].headers["Content-Type"] == "application/partial-upload") }
    }

    @Test("each version of the draft: whole, in parts, and broken off", arguments: UploadMethod.Interop.allCases)
    func interop(_ interop: UploadMethod.Interop) async throws {
        let methods: [(UploadMethod, [HTTPMethod])] = [
            (.draft(interop: interop), [.post]),
            (.draft(isCareful: true, interop: interop), [.post, .patch]),
            (.draft(chunk: 30_000, interop: interop), [.post, .patch, .patch, .patch, .patch]),
        ]
        for (method, expected) in methods {
            for isBroken in [false, true] {
                let host = try UploadHost(isTus: false)
                host.state.withLock { state in
                    state.interop = interop
                    if isBroken { (state.breaks, state.breakCount) = (20_000, 1) }
                }
                _ = try await upload(method, to: host)
                expectComplete(host)
                let methods = host.server.requests.map(\.method)
                if isBroken { #expect(methods.contains(.head)) } else { #expect(methods == expected) }
            }
        }
    }

    @Test("broken off at every tenth of the content, it continues with what the server has", arguments: 0..<10)
    func breaks(_ tenth: Int) async throws {
        for (isTus, method) in [(true, UploadMethod.tus()), (false, .draft(isCareful: true)), (false, .draft())] {
            let host = try UploadHost(isTus: isTus)
            host.state.withLock { ($0.breaks, $0.breakCount) = (content.count * tenth / 10, 1) }
            _ = try await upload(method, to: host)
            expectComplete(host)
            #expect(host.server.requests.contains { $0.method == .head })
        }
    }

    @Test("without an early location the draft starts anew")
    func noEarlyLocation() async throws {
        let host = try UploadHost(isTus: false)
        host.state.withLock { ($0.breaks, $0.breakCount, $0.isEarly) = (50_000, 1, false) }
        _ = try await upload(.draft(), to: host)
        expectComplete(host)
        #expect(host.server.requests.map(\.method) == [.post, .post])
    }

    @Test("another process continues with the journal; a changed file starts anew")
    func journals() async throws {
        host.state.withLock { $0.breaks = 0 }
        #expect(await failure { try await upload(.tus()) }.code == .stuck)
        #expect(FileManager.default.fileExists(atPath: journal.path))
        host.state.withLock { ($0.breaks, $0.bytes) = (nil, Array(content[..<40_000])) }
        let before = host.server.requests.count
        let result = try await upload(.tus())
        #expect(result.reused == 40_000)
        expectComplete()
        #expect(host.server.requests.dropFirst(before).map(\.method) == [.head, .patch])
        try Data(repeating: 1, count: 10).write(to: journal)
        _ = try await upload(.tus())
        #expect(host.server.requests.last { $0.method == .post } != nil)
    }

    @Test("an upload forgotten by the server is created again, once")
    func forgotten() async throws {
        host.state.withLock { $0.refusals = [201, 404] }
        #expect(await failure { try await upload(.tus()) }.code == .unusableResponse)
        host.state.withLock { $0.refusals = [] }
        _ = try await upload(.tus())
        expectComplete()
    }

    @Test("a refusal is an error with its response; a busy server is asked again")
    func statuses() async throws {
        host.state.withLock { $0.refusals = [413] }
        let (error, code) = await failure { try await upload(.tus()) }
        #expect(error?.status == 413 && code == .refused)
        host.state.withLock { $0.refusals = [503, 503] }
        _ = try await upload(.tus())
        expectComplete()
    }

    @Test(
        "a server that says when it will be back is not asked before that, within an hour",
        arguments: [
            ("120", 240...300), ("Sat, 01 Jan 2000 00:02:00 GMT", 240...300), ("99999999999999999999", 7200...7300),
            ("Fri, 31 Dec 1999 00:00:00 GMT", 0...60), ("soon", 0...60),
        ] as [(String, ClosedRange<Double>)]
    )
    func retryAfter(text: String, seconds: ClosedRange<Double>) async throws {
        host.state.withLock { ($0.refusals, $0.retryAfter) = ([503, 503], text) }
        let start = clock.now
        _ = try await upload(.tus())
        expectComplete()
        let waited = start.duration(to: clock.now)
        #expect(seconds.contains(waited / .seconds(1)), "\(waited)")
    }

    @Test("a file is sent as it is, without a model; the progress counts what was sent and ends with the call")
    func rawBody() async throws {
        let server = try LoopbackServer { _ in .json("{\"word\":\"ok\"}") }
        let monitor = TransferMonitor()
        let builder = UrlChainsBuilder<URL>().route(.put, server.url("/x")).progress(in: monitor)
        let chain: Chain<Void, Word> = builder.set(body: .file(file), type: "image/png").build()
        #expect(try await chain.process() == Word(word: "ok"))
        let request = try #require(server.requests.first)
        #expect(Array(request.body) == content)
        #expect(request.headers["Content-Type"] == "image/png")
        #expect(monitor.current.isFinished)
        #expect(monitor.current.sent == 100_000)
        #expect(monitor.current.sentTotal == 100_000)
    }
}
