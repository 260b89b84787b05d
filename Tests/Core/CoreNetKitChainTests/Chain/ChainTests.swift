import TestSupport

@Suite("The deadline of a call on the wire", .timeLimit(.minutes(10)), .paced)
struct DeadlineSlackTests {
    private func failure(at milliseconds: Int, limit: Duration?) async throws -> NetworkError? {
        let clock = ManualClock()
        let transport = ClosureTransport { request in
            clock.advance(by: .milliseconds(milliseconds))
            throw TransportError(.timedOut, phase: .receive, message: "no more time")
        }
        let chain = Chain(TransportNode(transport), deadline: .seconds(1), clock: CallClock(clock))
        var request = TransportRequest(url: try #require(URL(string: "http://a.test")))
        request.timeouts.total = limit
        return await TestSupport.failure { _ = try await chain.call(request) }
    }

    @Test(
        "is the cause if an exchange's timer fired up to ten milliseconds early, unless a limit of the exchange ended it",
        arguments: [
            (1000, nil, true), (1001, nil, true), (991, nil, true), (990, nil, true), (989, nil, false),
            (500, nil, false), (0, nil, false), (999, .milliseconds(999), false),
        ] as [(Int, Duration?, Bool)]
    )
    func slack(milliseconds: Int, limit: Duration?, isDeadline: Bool) async throws {
        let failure = try #require(try await failure(at: milliseconds, limit: limit))
        #expect(failure.code == (isDeadline ? .deadlineExceeded : .timedOut))
        #expect(failure.isRetryable != isDeadline)
        #expect(failure.message.hasPrefix("the deadline passed while in") == isDeadline)
    }
}

@Suite("A node written as an observer", .timeLimit(.minutes(10)), .paced)
struct ObserverNodeTests {
    private enum Failure: Error { case refused }

    @Test("its first outcome is the response, a value or an error")
    func outcomes() async throws {
        let node = ObserverNode<Int, String>("Names") { number in
            number > 0 ? .emit(data: "number \(number)") : .emit(error: Failure.refused)
        }
        #expect(try await node.process(7, context: RequestContext()) == "number 7")
        await #expect(throws: Failure.refused) { _ = try await node.process(0, context: RequestContext()) }
    }

    @Test("it is drawn with its name and the nodes that it may call")
    func drawn() {
        let inner = ObserverNode<Int, Int>("Inner") { .emit(data: $0) }
        let node = ObserverNode<Int, Int>("Outer", successors: [inner]) { .emit(data: $0) }
        #expect(Chain(node).description == "Outer\nInner")
    }

    @Test("cancelling the call cancels its observer")
    func cancellation() async throws {
        let (begun, cancelled) = (Signal(), Signal())
        let node = ObserverNode<Int, Int>("Never") { _ in
            let context = Context<Int>()
            context.onCanceled { cancelled.signal() }
            begun.signal()
            return context
        }
        let call = Task { try await node.process(1, context: RequestContext()) }
        await begun.wait()
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        await cancelled.wait()
    }
}

@Suite("One sleeper for all waiting timers", .timeLimit(.minutes(10)), .paced)
struct TimerQueueTests {
    @Test(
        "fires in the order of the times, and for one time in the order of arrival",
        arguments: 0..<20 as Range<UInt64>
    )
    func order(seed: UInt64) async {
        var dice = SplitMix64(seed: seed)
        let clock = ManualClock()
        let timers = TimerQueue(CallClock(clock))
        let fired = Locked<[Int]>([])
        var times: [Int] = []
        var ids: [TimerQueue.TimerID] = []
        for number in 0..<40 {
            times.append(Int.random(in: 1...12, using: &dice))
            ids.append(timers.set(at: .seconds(times[number])) { fired.withLock { $0.append(number) } })
        }
        let gone = (0..<40).filter { _ in Int.random(in: 0..<3, using: &dice) == 0 }
        for number in gone { timers.cancel(ids[number]) }
        let expected = (0..<40).filter { !gone.contains($0) }.sorted { (times[$0], $0) < (times[$1], $1) }
        for second in 1...12 {
            clock.advance(by: .seconds(1))
            let count = expected.count { times[$0] <= second }
            while fired.withLock({ $0.count }) < count { await Task.yield() }
        }
        #expect(fired.withLock { $0 } == expected)
        timers.cancel(ids[0])
    }
}

@Suite("The attempt that a response belongs to", .paced)
struct ResponseAttemptTests {
    @Test("is the first one by default")
    func number() {
        var response = TransportResponse(status: 200, url: url("http://a.test/"))
        #expect(response.attempt == 1)
        response.attempt = 3
        #expect(response.attempt == 3)
    }
}

@Suite("A refusal by the server", .timeLimit(.minutes(10)), .paced)
struct RefusalTests {
    @Test(
        "is the response of an error, unless its status is one of success; the status is known of both",
        arguments: [(100, true), (199, true), (200, false), (299, false), (300, true), (404, true), (503, true)]
    )
    func status(status: Int, isRefusal: Bool) {
        var error = NetworkError(.connectionLost, "gone", node: .response)
        #expect(error.refusal == nil && error.status == nil)
        error.response = FailedResponse(status: status, url: url("http://a.test/"))
        #expect(error.refusal?.status == (isRefusal ? status : nil) && error.status == status)
    }
}
