import Dispatch
import TestSupport

@Suite("A call on a real socket", .timeLimit(.minutes(10)), .paced)
struct CallTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    func builder(_ path: String) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>().route(.get, server.url(path))
    }

    @Test("responds through callbacks on the main queue, and by async")
    func bothForms() async throws {
        server.on(.get, "/user", .json(User.adaJson))
        let chain: Chain<Void, User> = builder("/user").build()

        let byAsync = try await chain.process() as User
        let byObserver: User = await withCheckedContinuation { continuation in
            let observer: Observer<User> = chain.process()
            observer.onCompleted { user in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume(returning: user)
            }
        }
        #expect(byAsync == .ada && byObserver == .ada)
    }

    @Test("runs to its end after its observer is released")
    func droppedObserver() async throws {
        server.on(.get, "/user", .json(User.adaJson))
        let chain: Chain<Void, User> = builder("/user").build()
        _ = chain.process() as Observer<User>
        #expect(try await server.waitForRequests(1).count == 1)
        try await server.wait { $0.responses == 1 }
    }

    @Test("closes its connection when the observer is cancelled, in every phase", arguments: ["/head", "/body"])
    func cancelObserver(path: String) async throws {
        server.on(.get, "/head", .json(User.adaJson).fault(.stall(.beforeStatus)))
        server.on(.get, "/body", .json(User.adaJson).fault(.stall(.inBody(5))))
        let chain: Chain<Void, User> = builder(path).build()
        let observer: Observer<User> = chain.process()
        let request = try await server.request(at: 0)
        try await server.wait { $0.stalls == 1 }

        let events = Recorder<String>()
        await withCheckedContinuation { continuation in
            observer
                .onCompleted { _ in events.record("completed") }
                .onError { events.record("error \($0)") }
                .onCanceled { events.record("cancelled") }
                .defer { continuation.resume() }
            observer.cancel()
            observer.cancel()
        }
        #expect(events.values == ["cancelled"])
        try await server.waitForDisconnect(of: request.connection)
    }

    @Test("closes its connection when the awaiting task is cancelled")
    func cancelTask() async throws {
        server.on(.get, "/head", .json(User.adaJson).fault(.stall(.beforeStatus)))
        let chain: Chain<Void, User> = builder("/head").build()
        let task = Task { try await chain.process() as User }
        let request = try await server.request(at: 0)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await server.waitForDisconnect(of: request.connection)
    }

    @Test("cancelled before it starts never reaches the wire")
    func cancelledBeforeStart() async throws {
        let chain: Chain<Void, Void> = builder("/x").build()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await chain.process()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(server.requests.isEmpty)
    }

    @Test("ends at the deadline with the phase that used up the time")
    func deadline() async throws {
        server.on(.get, "/head", .json("{}").fault(.stall(.beforeStatus)))
        let error = await withLongerLimits(until: { (error: NetworkError?) in error?.phase == .wait }) { limit in
            let chain: Chain<Void, Void> = builder("/head").set(deadline: limit).build()
            return await #expect(throws: NetworkError.self) { try await chain.process() }
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .wait)
    }

    @Test("a deadline that has passed sends nothing")
    func deadlinePassed() async throws {
        let chain: Chain<Void, Void> = builder("/x").set(deadline: .zero).build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .deadlineExceeded)
        #expect(server.requests.isEmpty)
    }

    @Test(
        "a broken connection is an error and never an empty success",
        arguments: ["/reset", "/close", "/short", "/chunk"]
    )
    func cutConnection(path: String) async throws {
        server.on(.get, "/reset", .json("[1,2,3]").fault(.reset(.inBody(2))))
        server.on(.get, "/close", .json("[1,2,3]").fault(.close(.inBody(2))))
        server.on(.get, "/short", .json("[1,2,3]").fault(.contentLength(offBy: 5)).closing())
        server.on(.get, "/chunk", .chunks("[1,", "2]").fault(.badChunk))
        let error = await failure { let _: [Int] = try await builder(path).build().process() }
        #expect([.connectionLost, .invalidResponse].contains(error?.code))
        #expect(error?.phase == .receive)
    }

    @Test("a connection that is refused and a host that is unknown have their own errors")
    func unreachable() async throws {
        let url = try LoopbackServer.unusedPortURL()
        let refused = await failure { try await UrlChainsBuilder<URL>().route(.get, url).build().call() }
        #expect(refused?.code == .cannotConnect && refused?.phase == .connect && refused?.isSafeToResend == true)
        let unknown = UrlChainsBuilder<String>().route(.get, "http://no-such-host.invalid/")
        #expect(await failure { try await unknown.build().call() }?.code == .cannotResolveHost)
    }

    @Test("streams its content, and closes the connection when the reader leaves")
    func streams() async throws {
        server.on(.get, "/big") { _ in
            .stream(length: nil) { index in Data(repeating: UInt8(index & 0xFF), count: 65_536) }
        }
        let chain = builder("/big").loadStream()
        var read = 0
        for try await chunk in try await chain.process() as ResponseStream {
            read += chunk.count
            if read > 1_000_000 { break }
        }
        let request = try await server.request(at: 0)
        try await server.waitForDisconnect(of: request.connection)
        #expect(read > 1_000_000)
    }

    @Test("downloads to a file, and leaves none behind on an error")
    func downloads() async throws {
        server.on(.get, "/ok", .text(String(repeating: "x", count: 200_000)))
        server.on(.get, "/no", .status(404))
        let folder = try TemporaryFolder()
        let response = try await builder("/ok").download(to: folder["download"]).process() as Response<URL>
        #expect(try Data(contentsOf: response.model).count == 200_000)

        let error = await #expect(throws: NetworkError.self) {
            _ = try await builder("/no").download(to: folder["none"]).process() as Response<URL>
        }
        #expect(error?.code == .notFound)
        #expect(folder.names == ["download"])
    }
}
