import TestSupport

@testable import CoreNetKit

@Suite("A group of calls", .timeLimit(.minutes(10)), .paced)
struct CallGroupTests {
    let gate = Gate()
    let clock = ManualClock()
    let group = Client.CallGroup()
    private let wire: Wire

    init() {
        let gate = gate
        wire = Wire(clock, behind: gate)
    }

    private var chain: Chain<Void, Void> { wire.client().group(group).chain { $0.set(deadline: nil) } }

    /// Calls that wait at the gate.
    private func begun(_ count: Int = 1) async -> [Task<Void, any Error>] {
        let calls = chain.start(count)
        await gate.arrived(count)
        return calls
    }

    @Test("cancels running calls, on the wire too, but neither the awaiting tasks nor later calls")
    func cancelAll() async throws {
        let chain = chain
        let tasks = (0..<3).map { _ in
            Task {
                do { try await chain.process() } catch { return error is CancellationError && !Task.isCancelled }
                return false
            }
        }
        let observer: Observer<Void> = chain.process()
        await gate.arrived(4)
        #expect(group.callsInFlight == 4)
        #expect(group.cancelAll() == 4)
        for task in tasks { #expect(await task.value) }
        await #expect(throws: CancellationError.self) { try await observer.value }
        await until { group.callsInFlight == 0 }
        gate.open()
        try await chain.process()
        #expect(group.callsInFlight == 0)
    }

    @Test("a call cancelled by its caller, and a failed one, leave the group")
    func leaves() async throws {
        await cancel(await begun())
        #expect(group.callsInFlight == 0)
        let failing = Wire(statuses: [500]).client().group(group).chain()
        await #expect(throws: NetworkError.self) { try await failing.process() }
        #expect(group.callsInFlight == 0)
    }

    @Test("a shutdown lets calls finish, and no other begin")
    func shutdown() async throws {
        let calls = await begun()
        async let cancelled = group.shutdown(within: .seconds(10), clock: CallClock(clock))
        try await clock.waitForSleepers(1)
        let refused = await chain.failure
        #expect(refused?.code == .shutDown)
        gate.open()
        for call in calls { try await call.value }
        #expect(await cancelled == 0)
        #expect(await group.shutdown(within: .seconds(10), clock: CallClock(clock)) == 0)
        #expect(wire.count == 1)
    }

    @Test("a shutdown cancels what is left at its limit, and reports how many")
    func shutdownLimit() async throws {
        let calls = await begun(2)
        async let cancelled = group.shutdown(within: .seconds(10), clock: CallClock(clock))
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        #expect(await cancelled == 2)
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    }

    @Test("a cancelled shutdown waits no longer")
    func shutdownCancelled() async throws {
        let calls = await begun()
        let (group, clock) = (group, clock)
        let shutdown = Task { await group.shutdown(within: .seconds(1000), clock: CallClock(clock)) }
        try await clock.waitForSleepers(1)
        shutdown.cancel()
        #expect(await shutdown.value == 1)
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
    }

    /// A chain whose response is an endless stream of letters.
    private func stream(_ group: Client.CallGroup, closed: Recorder<Int>) -> Chain<Void, ResponseStream> {
        let wire = Wire { index, request in
            let stream = ResponseStream(next: { Data("a".utf8) }, cancel: { closed.record(index) })
            return .init(status: 200, body: .stream(stream), url: request.url)
        }
        return UrlChainsBuilder<String>(client: wire.client().group(group)).route(.get, host).loadStream()
    }

    @Test("a stream belongs to the group until it is released; a cancelled one fails, and does not seem whole")
    func streams() async throws {
        let closed = Recorder<Int>()
        let chain = stream(group, closed: closed)
        var first: ResponseStream? = try await chain.process()
        #expect(group.callsInFlight == 1 && first != nil)
        first = nil
        #expect(group.callsInFlight == 0)
        let second: ResponseStream = try await chain.process()
        var iterator = second.makeAsyncIterator()
        #expect(try await iterator.next() == Data("a".utf8))
        #expect(group.cancelAll() == 1)
        await #expect(throws: CancellationError.self) { _ = try await iterator.next() }
        #expect(group.callsInFlight == 0)
        #expect(Set(closed.values) == [0, 1])
    }

    @Test("a call may belong to several groups; each can end it")
    func several() async throws {
        let other = Client.CallGroup()
        let chain = wire.client().group(group).chain { $0.group(other).set(deadline: nil) }
        for ending in [group, other] {
            let call = chain.start()
            await until { group.callsInFlight == 1 && other.callsInFlight == 1 }
            #expect(ending.cancelAll() == 1)
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        await until { group.callsInFlight == 0 && other.callsInFlight == 0 }
    }
}

@Suite("A group cancelled at any moment", .timeLimit(.minutes(10)), .paced)
struct CallGroupMomentTests {
    @Test("reaches a call whose response has arrived but was not handed over yet", arguments: [true, false])
    func handOver(isStream: Bool) async throws {
        let (group, gate, responded, closed) = (Client.CallGroup(), Gate(), Recorder<Void>(), Recorder<Void>())
        let wire = Wire { _, request in
            try await gate.pass()
            var response = TransportResponse(status: 200, url: request.url)
            if isStream {
                response.body = .stream(ResponseStream(next: { Data("a".utf8) }, cancel: { closed.record(()) }))
            }
            responded.record(())
            return response
        }
        let node = GroupNode(next: TransportNode(wire), group: group)
        let request = TransportRequest(method: .get, url: try #require(URL(string: host)))
        let executor = StepExecutor()
        let call = Task(executorPreference: executor) { try await node.process(request, context: RequestContext()) }
        await until {
            executor.step()
            return wire.count == 1
        }
        await gate.arrived(1)
        gate.open()
        await until {
            if responded.values.isEmpty { executor.step() }
            return !responded.values.isEmpty && !executor.isEmpty
        }
        #expect(group.cancelAll() == 1)
        executor.free()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
        #expect(group.callsInFlight == 0)
        #expect(closed.values.isEmpty != isStream)
    }
}
