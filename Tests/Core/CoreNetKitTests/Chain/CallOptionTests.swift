import Dispatch
import TestSupport

@Suite("How a call runs", .timeLimit(.minutes(10)), .paced)
struct CallOptionTests {
    @Test(
        "through an observer it starts at user-initiated priority, or at the builder's, and never on the main thread",
        arguments: [nil, TaskPriority.utility, .background]
    )
    func priority(chosen: TaskPriority?) async throws {
        let seen = Recorder<TaskPriority>()
        let (started, ended) = (Signal(), Signal())
        let transport = ClosureTransport { request in
            dispatchPrecondition(condition: .notOnQueue(.main))
            seen.record(Task.currentPriority)
            started.signal()
            return .init(status: 200, url: request.url)
        }
        var builder = UrlChainsBuilder<String>().set(transport: transport).route(.get, "http://a.test/")
        if let chosen { builder = builder.set(priority: chosen) }
        let chain: Chain<Void, Void> = builder.build()
        await MainActor.run {
            let observer: Observer<Void> = chain.process()
            observer.defer { ended.signal() }
        }
        await started.wait()
        await ended.wait()
        #expect(seen.values == [chosen ?? .userInitiated])
    }

    @Test("its listeners are called on the builder's queue, or that of dispatchOn")
    func queues() async throws {
        let (replies, other) = (DispatchQueue(label: "replies"), DispatchQueue(label: "other"))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>()
            .set(transport: ClosureTransport()).set(responseQueue: replies).route(.get, "http://a.test/").build()
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            chain.observe().onCompleted { dispatchPrecondition(condition: .onQueue(replies)) }
                .dispatchOn(other).onCompleted {
                    dispatchPrecondition(condition: .onQueue(other))
                    done.resume()
                }
        }
    }

    @Test("a chain of public nodes has a deadline on a clock of its own")
    func ownChain() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(7))
        let time = CallClock(clock)
        let mock = MockTransport(clock: clock) { $0.on(.get, "/x", .stall) }
        let chain = Chain(TransportNode(mock), deadline: .seconds(5), clock: time)
        let request = TransportRequest(url: try "http://a.test/x".url())
        let call = Task { try await chain.process(request).status }
        try await clock.advanceToNextSleeper()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .deadlineExceeded)
        #expect(clock.now.offset == .seconds(12))
    }

    @Test("a provider that does not respond is abandoned at the deadline, and told to stop")
    func hangingProvider() async throws {
        struct Hanging: MetadataProvider {
            let clock: ManualClock
            let stopped: Signal

            func metadata() async throws -> Headers {
                do {
                    try await clock.sleep(for: .seconds(3600))
                } catch {
                    stopped.signal()
                    throw error
                }
                return [:]
            }
        }
        let clock = ManualClock()
        let stopped = Signal()
        let requests = Recorder<TransportRequest>()
        let client = Client(transport: requests.transport(), clock: CallClock(clock))
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
            .add(provider: Hanging(clock: clock, stopped: stopped))
            .set(deadline: .seconds(5))
            .route(.get, "http://a.test/x").build()
        let call = Task { try await chain.process() }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.node == "HeadersNode")
        #expect(error?.message.contains("Hanging") == true)
        await stopped.wait()
        #expect(requests.values.isEmpty)

        let cancelled = Task { try await chain.process() }
        try await clock.waitForSleepers(2)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        await stopped.wait(2)
    }

    @Test("a stream read after the call is under the call's deadline, and fails with its error")
    func streamDeadline() async throws {
        let server = try LoopbackServer()
        server.on(.get, "/stall", .text("0123456789").fault(.stall(.inBody(5))))
        let builder = UrlChainsBuilder<URL>().route(.get, server.url("/stall"))
        var text = ""
        let error = await withLongerLimits(until: { (_: NetworkError?) in text == "01234" }) { limit in
            text = ""
            return await #expect(throws: NetworkError.self) {
                let stream: ResponseStream = try await builder.set(deadline: limit).loadStream().process()
                for try await chunk in stream { text += String(decoding: chunk, as: UTF8.self) }
            }
        }
        #expect(text == "01234")
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.phase == .receive)
    }

    @Test("a download refuses a chain in the wrong order, like every other end of the builder")
    func downloadChecksTheOrder() async throws {
        let requests = Recorder<TransportRequest>()
        let chain = UrlChainsBuilder<String>()
            .set(transport: requests.transport())
            .insert(at: .attempt) { RetryNode(next: AnyNode($0)) }
            .route(.get, "http://a.test/")
            .download(to: FileManager.default.temporaryDirectory.appending(path: "never"))
        let error = await #expect(throws: NetworkError.self) { _ = try await chain.process() as Response<URL> }
        #expect(error?.code == .invalidChain)
        #expect(requests.values.isEmpty)
    }
}
