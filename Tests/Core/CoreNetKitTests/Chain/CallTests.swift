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
