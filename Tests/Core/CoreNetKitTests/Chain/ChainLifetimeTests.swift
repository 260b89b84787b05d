import TestSupport

@Suite("The life of a call", .timeLimit(.minutes(10)), .paced)
struct ChainLifetimeTests {
    /// Something that a call holds, and whoever waits for its end.
    final class Held: Sendable {
        private let released: Signal

        init(_ released: Signal) { self.released = released }
        deinit { released.signal() }
        func use() {}
    }

    enum HeldKey: Attributes.Key { typealias Value = Held }

    enum End: CaseIterable, Sendable {
        case completes, fails, isCancelled, isDropped, isAwaited, awaitIsCancelled
    }

    /// A chain that holds four things: in a node, in the transport, in the context of the call and in the log.
    func chain(_ released: Signal, end: End, sent: Signal, gate: Signal) -> Chain<Void, User> {
        let (inNode, inTransport, inContext, inSink) = (Held(released), Held(released), Held(released), Held(released))
        let transport = ClosureTransport { request in
            inTransport.use()
            sent.signal()
            switch end {
            case .isCancelled, .awaitIsCancelled: try await untilCancelled()
            default: await gate.wait()
            }
            let status = end == .fails ? 500 : 200
            return .init(status: status, body: .bytes(Data(User.adaJson.utf8)), url: request.url)
        }
        return UrlChainsBuilder<String>()
            .set(transport: transport)
            .log(to: ClosureSink { _ in inSink.use() })
            .insert(at: .call) { next in
                AnyNode<TransportRequest, TransportResponse>("Holder", successors: [next]) { request, context in
                    var context = context
                    context.attributes[HeldKey.self] = inNode
                    return try await next.process(request, context: context)
                }
            }
            .insert(at: .exchange) { next in
                AnyNode<TransportRequest, TransportResponse>("Reader", successors: [next]) { request, context in
                    inContext.use()
                    context.attributes[HeldKey.self]?.use()
                    return try await next.process(request, context: context)
                }
            }
            .route(.get, "http://a.test/").build()
    }

    @Test("chain, context and closures are released when it is over, however it ends", arguments: End.allCases)
    func releasesEverything(end: End) async throws {
        let (released, sent, gate, ended) = (Signal(), Signal(), Signal(), Signal())
        weak var weakObserver: Observer<User>?
        var awaiting: Task<User, any Error>?
        func start() -> (any CancelableContext)? {
            let chain = chain(released, end: end, sent: sent, gate: gate)
            if end == .isAwaited || end == .awaitIsCancelled {
                awaiting = Task { try await chain.process() as User }
                for _ in 0..<4 { released.signal() }
                return nil
            }
            let observer: Observer<User> = chain.process()
            weakObserver = observer
            let inListeners = (0..<4).map { _ in Held(released) }
            observer
                .onCompleted { _ in inListeners[0].use() }
                .onError { _ in inListeners[1].use() }
                .onCanceled { inListeners[2].use() }
                .defer {
                    inListeners[3].use()
                    ended.signal()
                }
            return end == .isDropped ? nil : observer
        }
        var observer = start()
        await sent.wait()
        switch end {
        case .isCancelled: observer?.cancel()
        case .awaitIsCancelled: awaiting?.cancel()
        default: gate.signal()
        }
        if let awaiting { _ = await awaiting.result } else { await ended.wait() }
        awaiting = nil
        // Four of the chain, four of the listeners; those of an observer that is kept are released too.
        await released.wait(8)
        observer = nil
        while weakObserver != nil, !Task.isCancelled { await Task.yield() }
        #expect(weakObserver == nil)
        #expect(!Task.isCancelled)
    }

    @Test("a cancelled call ends as cancelled, even if a node swallows the cancellation", arguments: [true, false])
    func swallowedCancellation(givesError: Bool) async throws {
        struct Odd: Error {}
        let sent = Signal()
        let transport = ClosureTransport { _ in
            sent.signal()
            try await untilCancelled()
            throw CancellationError()
        }
        let chain: Chain<Void, User> = UrlChainsBuilder<String>()
            .set(transport: transport)
            .insert(at: .call) { next in
                AnyNode<TransportRequest, TransportResponse>("Swallower", successors: [next]) { request, context in
                    do {
                        return try await next.process(request, context: context)
                    } catch {
                        guard !givesError else { throw Odd() }
                        return .init(status: 200, body: .bytes(Data(User.adaJson.utf8)), url: request.url)
                    }
                }
            }
            .route(.get, "http://a.test/").build()

        let observer: Observer<User> = chain.process()
        let events = ObserverRecorder().listen(to: observer)
        await sent.wait()
        observer.cancel()
        #expect(await events.allEvents() == ["canceled", "defer"])

        let task = Task { try await chain.process() as User }
        await sent.wait(2)
        task.cancel()
        if givesError {
            await #expect(throws: CancellationError.self) { try await task.value }
        } else {
            // The node has a response nevertheless: the awaiting task gets it.
            #expect(try await task.value == .ada)
        }
    }

    @Test("one chain serves a thousand concurrent calls, each with its own response")
    func concurrentCalls() async throws {
        let ids = Recorder<UInt64>()
        let echo = ClosureTransport { request in
            await Task.yield()
            return .init(status: 200, body: .bytes(request.body.data ?? Data()), url: request.url)
        }
        let builder = UrlChainsBuilder<String>()
            .set(transport: echo)
            .set(responseQueue: .global())
            .log(to: ClosureSink { ids.record($0.call) }, level: .error)
            .route(.post, "http://a.test/")
        let chain: Chain<User, User> = builder.build()

        try await withThrowingTaskGroup { group in
            for age in 0..<1000 {
                group.addTask {
                    let sent = User(name: "user \(age)", age: age, images: ["\(age).png"])
                    if age.isMultiple(of: 2) {
                        let reply: User = try await chain.process(sent)
                        #expect(reply == sent)
                    } else {
                        let observer: Observer<User> = chain.process(sent)
                        let reply = try await observer.value
                        #expect(reply == sent)
                    }
                }
            }
            try await group.waitForAll()
        }
        await builder.flushRecords()
        #expect(ids.values.count == 1000)
        #expect(Set(ids.values).count == 1000)
    }
}

/// Suspends until the task is cancelled, then throws as a transport does.
private func untilCancelled() async throws {
    let stream = AsyncStream<Void> { _ in }
    for await _ in stream {}
    try Task.checkCancellation()
}
