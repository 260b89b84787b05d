import CoreNetKitPeer
import CoreNetKitSockets
import TestSupport

@Suite("Greetings of sockets", .timeLimit(.minutes(10)), .paced)
struct GreetingTests {
    private typealias Frame = GraphFrame
    private typealias Frames = Socket<Frame, Frame>

    private func chain(
        _ stage: Stage,
        within limit: Duration = .seconds(10),
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) -> Chain<Void, Frames> {
        let plain: Chain<Void, Frames> = stage.models(change)
        return plain.greeting(within: limit) { greeting in
            try await greeting.send(Frame("init", "\(greeting.resume.reconnects)"))
            try await greeting.reply { $0.type == "ack" }
        }
    }

    /// Waits for the greeting, and replies when nothing else has come.
    private static func welcome(_ peer: SocketPeer, _ reconnects: Int = 0) async throws {
        try await peer.expect(json: Frame("init", "\(reconnects)"))
        try await peer.expectQuiet()
        peer.send(json: Frame("ack"))
    }

    @Test(
        "are over before anything else is sent; then each stream that resumes subscribes once",
        arguments: Stage.Way.allCases
    )
    func resumes(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            try await Self.welcome(peer)
            try await peer.expect(json: Frame("subscribe", "1"))
            peer.send(json: Frame("first", "1"))
            _ = try await peer.message()
            peer.drop()
        } then: { peer in
            try await Self.welcome(peer, 1)
            try await peer.expect(json: Frame("subscribe", "1"))
            try await peer.expectQuiet()
            peer.send(json: Frame("second", "1"))
            try await peer.expectClose()
        }
        let socket = try await chain(stage).process()
        let calls = SocketCalls(socket) { $0.id }
        var frames = calls.stream("1", Frame("subscribe", "1"), resumes: true).makeAsyncIterator()
        #expect(try await frames.next()?.type == "first")
        await expectFailure(.connectionLost) { _ = try await calls.call("2", Frame("drop", "2")) }
        try await stage.connectAgain(socket)
        #expect(try await frames.next()?.type == "second")
        #expect(await calls.close() == SocketClose(.normal))
        #expect(socket.statistics.reconnects == 1)
    }

    @Test("that get no reply end with an error at their limit, by the clock", arguments: Stage.Way.allCases)
    func noReply(_ way: Stage.Way) async throws {
        let ends = ReaderQueue<SocketPeerEvent>()
        let stage = try Stage(way) { peer in
            try await peer.expect(json: Frame("init", "0"))
            peer.send(json: Frame("something else"))
            ends.add((try? await peer.message()) ?? .end)
        }
        let opening = Task { await socketFailure { _ = try await chain(stage, within: .seconds(7)).process() } }
        try await stage.clock.pass(.milliseconds(6_999))
        #expect(stage.clock.sleepers.count == 1)
        stage.clock.advance(by: .milliseconds(1))
        let (error, cause) = await opening.value
        #expect(error?.code == .timedOut && error?.phase == .receive && cause?.code == .noReply)
        #expect(try await ends.next() == .end)
        #expect(stage.clock.sleepers.isEmpty)
    }

    @Test(
        "that get no reply are a connection that failed: another one follows, as often as it may",
        arguments: Stage.Way.allCases
    )
    func noReplyLater(_ way: Stage.Way) async throws {
        let mute: Stage.Script = { peer in
            _ = try await peer.message()
            _ = try await peer.message()
        }
        let first: Stage.Script = { peer in
            try await Self.welcome(peer)
            _ = try await peer.message()
            peer.drop()
        }
        let fourth: Stage.Script = { peer in
            try await Self.welcome(peer, 3)
            try await peer.expect(json: Frame("subscribe", "1"))
            peer.send(json: Frame("first", "1"))
            _ = try await peer.message()
            peer.drop()
        }
        let stage = try Stage(way, scripts: [first, mute, mute, fourth, mute])
        let socket = try await chain(stage).process()
        let calls = SocketCalls(socket) { $0.id }
        _ = await socketFailure { _ = try await calls.call("2", Frame("drop", "2")) }
        var frames = calls.stream("1", Frame("subscribe", "1"), resumes: true).makeAsyncIterator()
        for _ in 0..<2 {
            try await stage.connectAgain(socket)
            await until { socket.state == .connecting }
            // Its greeting's limit.
            try await stage.clock.advanceToNextSleeper()
        }
        try await stage.connectAgain(socket)
        #expect(try await frames.next()?.type == "first")
        _ = await socketFailure { _ = try await calls.call("2", Frame("drop", "2")) }
        for _ in 0..<3 {
            try await stage.connectAgain(socket)
            await until { socket.state == .connecting }
            try await stage.clock.advanceToNextSleeper()
        }
        await expectFailure(.timedOut, .noReply) { _ = try await frames.next() }
        #expect(socket.state == .closed(SocketClose(.abnormal)))
    }

    @Test("leave to the reader what comes before the reply and with it, in its order", arguments: Stage.Way.allCases)
    func order(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            try await peer.expect(json: Frame("init", "0"))
            for type in ["one", "two", "ack", "three", "ack"] { peer.send(json: Frame(type)) }
            peer.close()
            try await peer.expectClose()
        }
        let socket = try await chain(stage) { $0.inbox = 2 }.process()
        #expect(try await socket.collect() == ["one", "two", "three", "ack"].map { Frame($0) })
    }

    @Test("do not keep what comes before the reply without limit")
    func flood() async throws {
        let stage = try Stage(.mock) { peer in
            for number in 0..<20 { peer.send(json: Frame("one", "\(number)")) }
            peer.send(json: Frame("ack"))
            _ = try await peer.message()
        }
        await expectFailure(.responseTooLarge) { _ = try await chain(stage) { $0.inbox = 19 }.process() }
        let socket = try await chain(stage) { $0.inbox = 20 }.process()
        #expect(try await socket.next() == Frame("one", "0"))
        await socket.close()
    }

    @Test("are cancelled with the call, and with the socket between two connections", arguments: Stage.Way.allCases)
    func cancelled(_ way: Stage.Way) async throws {
        let ends = ReaderQueue<SocketPeerEvent>()
        let mute: Stage.Script = { peer in
            _ = try await peer.message()
            ends.add((try? await peer.message()) ?? .end)
        }
        let first = try Stage(way, scripts: [mute])
        let opening = Task { try await chain(first).process() }
        try await first.clock.waitForSleepers(1)
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
        #expect(try await ends.next() == .end)
        let brief: Stage.Script = { peer in
            try await Self.welcome(peer)
            peer.drop()
        }
        let later = try Stage(way, scripts: [brief, mute])
        let socket = try await chain(later).process()
        try await later.connectAgain(socket)
        await until { socket.state == .connecting }
        try await later.clock.waitForSleepers(1)
        #expect(await socket.close() == SocketClose(.abnormal))
        #expect(try await ends.next() == .end)
        #expect(try await socket.collect().isEmpty)
        // Tasks that slept end when they have seen their cancellation.
        await until { later.clock.sleepers.isEmpty }
        #expect(later.clock.sleepers.isEmpty)
    }

    @Test("end at their limit where their closure does not")
    func stubborn() async throws {
        let stage = try Stage(.mock) { peer in _ = try await peer.message() }
        let gate = LoopbackGate()
        let ends = Locked<[any Error]>([])
        let chain: Chain<Void, Frames> = stage.models()
        let greeted = chain.greeting { greeting in
            await withCheckedContinuation { continuation in
                Task.detached {
                    try? await gate.wait()
                    continuation.resume()
                }
            }
            for work in [{ try await greeting.send(Frame("late")) }, { _ = try await greeting.reply() }] {
                do { try await work() } catch { ends.withLock { $0.append(error) } }
            }
        }
        let opening = Task { await socketFailure { _ = try await greeted.process() } }
        try await stage.clock.pass(.seconds(10))
        #expect(await opening.value.1?.code == .noReply)
        gate.open()
        await until { ends.withLock { $0.count } == 2 }
        #expect(ends.withLock { $0 }.allSatisfy { ($0 as? NetworkError)?.code == .invalidRequest })
    }

    @Test("wait for one reply at a time, and leave nobody behind who reads")
    func oneReader() async throws {
        let stage = try Stage(.mock) { peer in
            peer.send(json: Frame("one"))
            _ = try await peer.message()
        }
        let (isReading, codes) = (Locked(false), Locked<[NetworkError.Code?]>([]))
        let chain: Chain<Void, Frames> = stage.models()
        let greeted = chain.greeting { greeting in
            Task {
                try await greeting.reply { _ in
                    isReading.withLock { $0 = true }
                    return false
                }
            }
            await until { isReading.withLock { $0 } }
            let (error, _) = await socketFailure { try await greeting.reply() }
            codes.withLock { $0.append(error?.code) }
        }
        let (error, _) = await socketFailure { _ = try await greeted.process() }
        #expect(codes.withLock { $0 } == [.invalidRequest] && error?.code == .invalidRequest)
    }
}
