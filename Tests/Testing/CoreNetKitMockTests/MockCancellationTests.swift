import TestSupport

@Suite("MockTransport: time and cancellation", .timeLimit(.minutes(10)), .paced)
struct MockCancellationTests {
    @Test("a delayed response comes at its time on the clock")
    func delay() async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) { $0.on(.get, "/a", .text("late").delayed(by: .seconds(5))) }
        let call = Task { try await mock.text(.get, "/a") }
        try await clock.waitForSleepers(1)
        #expect(mock.requests.count == 1)
        #expect(mock.callsInFlight == 1)
        clock.advance(by: .seconds(4))
        #expect(clock.sleepers.count == 1)
        clock.advance(by: .seconds(1))
        #expect(try await call.value == "late")
        #expect(mock.callsInFlight == 0)
    }

    private static let total = Timeouts(firstByte: nil, idle: nil, total: .seconds(30))
    private static let silent: [(MockResponse, Timeouts, end: Duration, TransportError.Phase)] = [
        (.ok.delayed(by: .seconds(50)), Timeouts(firstByte: .seconds(3)), .seconds(3), .wait),
        (.ok.delayed(by: .seconds(50)), Timeouts(firstByte: nil, total: .seconds(3)), .seconds(3), .wait),
        (.stall, Timeouts(firstByte: .seconds(3)), .seconds(3), .wait),
        (.stall, Timeouts(total: .seconds(3)), .seconds(3), .wait),
        (.text("half").thenStalling(), Timeouts(idle: .seconds(3)), .seconds(3), .receive),
        (.text("half").delayed(by: .seconds(20)).thenStalling(), total, .seconds(30), .receive),
        (.stall.delayed(by: .seconds(20)), total, .seconds(30), .wait),
        (.ok.delayed(by: .seconds(40)), total, .seconds(30), .wait),
    ]

    @Test(
        "silence beyond a limit of the request ends with timedOut at the limit; the total covers delay and content",
        arguments: silent.indices
    )
    func timeout(index: Int) async throws {
        let (reply, timeouts, end, phase) = Self.silent[index]
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) { $0.on(.get, "/a", reply) }
        let sent = try request(.get, "/a", timeouts: timeouts)
        let call = Task { try await transportError { _ = try await mock.send(sent) } }
        while try await clock.advanceToNextSleeper().offset < end {}
        let error = try await call.value
        #expect(error?.code == .timedOut && error?.phase == phase)
        #expect(clock.now.offset == end)
        #expect(mock.cancelledRequests.isEmpty && mock.callsInFlight == 0)
    }

    @Test("content that arrives too slowly ends with the chunk after the total limit", arguments: [false, true])
    func slowContent(isStream: Bool) async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) {
            let content = MockResponse.stream { number in
                clock.advance(by: .seconds(20))
                return number < 7 ? Data("x".utf8) : nil
            }
            $0.on(.get, "/a", content)
        }
        let delivery = isStream ? ResponseDelivery.stream : .collect
        let sent = try request(.get, "/a", timeouts: Timeouts(total: .seconds(30)), delivery: delivery)
        let error = try await transportError { _ = try await mock.send(sent).body.collect() }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .receive)
        #expect(clock.now.offset == .seconds(40))
        #expect(mock.callsInFlight == 0)
    }

    @Test("a stalled request without limits only ends by cancellation")
    func unlimitedStall() async throws {
        let clock = ManualClock()
        let mock = MockTransport(clock: clock) { $0.on(.get, "/a", .stall) }
        let sent = try request(.get, "/a", timeouts: Timeouts(phases: nil))
        let call = Task { try await mock.send(sent) }
        try await mock.waitForRequests(1)
        #expect(clock.sleepers.isEmpty)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    private static let endless: [MockResponse] = [
        .stall, .ok.delayed(by: .seconds(5)), .text("half").thenStalling(),
    ]

    @Test("a waiting call ends promptly when it is cancelled, and is reported", arguments: endless.indices)
    func cancelled(index: Int) async throws {
        let mock = MockTransport(clock: ManualClock()) { $0.on(.get, "/slow", Self.endless[index]) }
        let call = Task { try await mock.text(.get, "/slow") }
        try await mock.waitForRequests(1)
        #expect(mock.cancelledRequests.isEmpty)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(try await mock.waitForCancellation().map(\.path) == ["/slow"])
        #expect(mock.callsInFlight == 0)
        try await mock.waitUntilIdle()
    }

    @Test("a response that comes after the cancellation is not delivered")
    func cancelledInReply() async throws {
        let mock = MockTransport {
            $0.on(.get, "/a") { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                return .ok
            }
        }
        let call = Task { try await mock.text(.get, "/a") }
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(mock.cancelledRequests.count == 1)
    }

    @Test("a request whose body is still being read can be cancelled and shows what was read")
    func cancelledInBody() async throws {
        let clock = ManualClock()
        let mock = MockTransport { $0.on(.post, "/a", .ok) }
        let body = RequestBody.stream {
            let hasBegun = Locked(false)
            return AsyncThrowingStream {
                if !hasBegun.set() { try await clock.sleep(for: .seconds(1)) }
                return Data("half".utf8)
            }
        }
        let sent = try request(.post, "/a", body: body)
        let call = Task { try await mock.send(sent) }
        try await clock.waitForSleepers(1)
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(mock.requests.isEmpty)
        #expect(mock.cancelledRequests.map(\.text) == ["half"])
        #expect(mock.callsInFlight == 0)
    }

    @Test("releasing a partly read stream cancels the call")
    func droppedStream() async throws {
        let mock = MockTransport { $0.on(.get, "/a", .chunks("a", "b")) }
        do {
            let response = try await mock.send(request(.get, "/a", delivery: .stream))
            var iterator = try response.stream().makeAsyncIterator()
            #expect(try await iterator.next() == Data("a".utf8))
            #expect(mock.callsInFlight == 1)
        }
        try await mock.waitForCancellation()
        #expect(mock.callsInFlight == 0)
    }

    @Test("cancelling the reader of a stalled stream ends it")
    func cancelledReader() async throws {
        let mock = MockTransport { $0.on(.get, "/a", .chunks("a").thenStalling()) }
        let reader = Task {
            let response = try await mock.send(request(.get, "/a", delivery: .stream))
            return try await response.body.collect()
        }
        try await mock.waitForRequests(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        try await mock.waitUntilIdle()
        #expect(mock.cancelledRequests.count == 1)
    }

    @Test("waiting for what never comes ends with the waiting task")
    func cancelledWait() async throws {
        let mock = MockTransport()
        let waits = [
            Task { _ = try await mock.waitForRequests(1) }, Task { _ = try await mock.waitForCancellation() },
        ]
        for wait in waits {
            wait.cancel()
            await #expect(throws: CancellationError.self) { try await wait.value }
        }
    }

    @Test("a reader of a closed stream gets the end, at any moment")
    func closed() async throws {
        let mock = MockTransport { $0.on(.get, "/a", MockResponse.chunks().thenStalling()) }
        let sent = try request(.get, "/a", timeouts: Timeouts(firstByte: nil, idle: nil), delivery: .stream)
        for _ in 0..<5000 {
            let stream = try await mock.send(sent).stream()
            let reader = Task.detached {
                var chunks = stream.makeAsyncIterator()
                return try await chunks.next()
            }
            await Task.yield()
            stream.close()
            #expect(try await reader.value == nil)
        }
    }
}
