import CoreNetKitObservability
import TestSupport

@testable import CoreNetKitSockets

@Suite("Sockets: a peer that writes and does not read", .timeLimit(.minutes(10)), .paced)
struct StalledSendTests {
    typealias Messages = Socket<SocketMessage, SocketMessage>

    /// More than the buffers of a connection take.
    private static let large = SocketMessage.data(Data(count: 16 << 20))

    /// A server that sends some texts, and reads nothing from then on.
    private func stage(_ way: Stage.Way, sending count: Int = 1, size: Int = 1) throws -> Stage {
        try Stage(way) { peer in
            peer.pause()
            for _ in 0..<count { peer.send(text: String(repeating: "x", count: size)) }
            _ = try await peer.next()
        }
    }

    private func open(_ stage: Stage, _ change: (inout SocketOptions) -> Void = { _ in }) async throws -> Messages {
        try await stage.builder.raw(change).process()
    }

    /// Begins to write before it returns.
    private func send(_ message: SocketMessage, over socket: Messages) -> Task<Void, any Error> {
        Task.immediate { try await socket.send(message) }
    }

    @Test(
        "a send that is being written is cancelled: it throws, the connection ends, and its other users hear why",
        arguments: Stage.Way.allCases
    )
    func cancelled(_ way: Stage.Way) async throws {
        let stage = try stage(way)
        let socket = try await open(stage) { $0.keepAlive = nil }
        #expect(try await socket.next() == .text("x"))
        let written = send(Self.large, over: socket)
        let waiting = send(.text("waits"), over: socket)
        written.cancel()
        try await stage.clock.waitForSleepers(1)
        #expect(socket.state == .open)
        stage.clock.advance(by: .milliseconds(100))
        await #expect(throws: CancellationError.self) { try await written.value }
        let (unsent, why) = await socketFailure { try await waiting.value }
        #expect(unsent?.code == .connectionLost && unsent?.isSafeToResend == true && why?.code == .abandoned)
        let (error, cause) = await socketFailure { _ = try await socket.next() }
        #expect(error?.code == .connectionLost && error?.isRetryable == true && cause?.code == .abandoned)
        #expect(socket.state == .closed(SocketClose(.abnormal)))
    }

    @Test("another connection follows where that is wanted")
    func reconnected() async throws {
        let stage = try Stage(.mock) { peer in
            peer.pause()
            peer.send(text: "paused")
            _ = try await peer.next()
        } then: { peer in
            try await peer.expect(text: "again")
            try await peer.expectClose()
        }
        let socket = try await open(stage) { $0 = Stage.options }
        #expect(try await socket.next() == .text("paused"))
        let written = send(.text("stuck"), over: socket)
        written.cancel()
        try await stage.clock.advanceToNextSleeper()
        await #expect(throws: CancellationError.self) { try await written.value }
        try await stage.connectAgain(socket)
        try await socket.send(.text("again"))
        #expect(await socket.close() == SocketClose(.normal))
    }

    @Test("a call over the socket that is late leaves the connection to the others")
    func lateCall() async throws {
        let stage = try stage(.mock)
        let socket = try await open(stage) { $0.keepAlive = nil }
        let calls = SocketCalls(socket) { (_: SocketMessage) -> Int? in nil }
        var others = calls.others.makeAsyncIterator()
        #expect(await others.next() == .text("x"))
        let call = Task.immediate { try await calls.call(1, .text("one"), deadline: .seconds(1)) }
        try await stage.clock.advanceToNextSleeper()
        await expectFailure(.deadlineExceeded) { _ = try await call.value }
        stage.clock.advance(by: .seconds(10))
        for _ in 0..<50 { await Task.yield() }
        #expect(socket.state == .open)
    }

    @Test(
        "with a full inbox the socket is dead where a send waits and nothing moves for interval and timeout",
        arguments: Stage.Way.allCases
    )
    func dead(_ way: Stage.Way) async throws {
        let stage = try stage(way, sending: 4)
        let socket = try await open(stage) { ($0.keepAlive, $0.inbox) = (.every(.seconds(10), within: .seconds(5)), 1) }
        await until { socket.statistics.messagesReceived == 1 }
        let written = send(Self.large, over: socket)
        let (error, cause) = await stage.clock.passing { await socketFailure { try await written.value } }
        #expect(error?.code == .connectionLost && cause?.code == .silent)
        #expect(stage.clock.now.offset >= .seconds(15))
        // It shows before the inbox is read.
        await until { socket.state != .open }
        #expect(socket.state == .closed(SocketClose(.abnormal)))
        #expect(try await socket.next() == .text("x"))
        await expectFailure(.connectionLost, .silent) { _ = try await socket.next() }
    }

    @Test(
        "the time counts from the last move: of what is written, or of the reader",
        arguments: [(nil, nil, nil), (0, nil, 15), (7, nil, 22), (0, 9, 23)] as [(Int?, Int?, Int?)]
    )
    func exact(waitsSince: Int?, read: Int?, dead: Int?) async throws {
        let clock = ManualClock()
        let parts = Client(clock: CallClock(clock), seed: 1).configuration.parts
        let death = Locked<Duration?>(nil)
        let keepAlive = LinkKeepAlive(.every(.seconds(10), within: .seconds(5)), parts) { _ in
        } progress: {
            (nil, waitsSince.map { .seconds($0) })
        }
        keepAlive.start { death.withLock { $0 = clock.now.offset } }
        keepAlive.setResting(true)
        for second in 1...40 {
            if second == read {
                keepAlive.setResting(false)
                keepAlive.setResting(true)
            }
            clock.advance(by: .seconds(1))
            await until { !clock.sleepers.isEmpty || death.withLock { $0 != nil } }
        }
        #expect(death.withLock { $0 } == dead.map { .seconds($0) })
        keepAlive.end(CancellationError())
    }

    @Test("an echo ends as its peer dies", arguments: Stage.Way.allCases)
    func echo(_ way: Stage.Way) async throws {
        let stage = try stage(way, sending: 100, size: 256 << 10)
        let socket = try await open(stage)
        await stage.clock.passing {
            await expectFailure(.connectionLost, .silent) {
                for try await message in socket { try await socket.send(message) }
            }
        }
    }

    @Test(
        "a close with a code that no frame may carry is an error, and closes nothing",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65535] as [UInt16]
    )
    func codes(_ code: UInt16) async throws {
        let stage = try Stage(.mock) { peer in try await peer.expectClose() }
        let socket = try await open(stage)
        let calls = SocketCalls(socket) { (_: SocketMessage) -> Int? in nil }
        await expectFailure(.invalidRequest) { _ = try await socket.close(.init(rawValue: code)) }
        await expectFailure(.invalidRequest) { _ = try await calls.close(.init(rawValue: code), "why") }
        #expect(socket.state == .open)
        #expect(try await socket.close(4999) == SocketClose(4999))
    }

    @Test("the side that closed is the one that closed first, in every view", arguments: [true, false])
    func sides(isOurs: Bool) async throws {
        let stage = try Stage(.mock) { peer in
            if !isOurs { peer.close(1001) }
            try await peer.expectClose()
        }
        let sink = RecordingSink()
        let socket = try await stage.builder.record(to: sink).raw { $0.keepAlive = nil }.process()
        if isOurs {
            #expect(try await socket.close(1001) == SocketClose(1001))
        } else {
            #expect(try await socket.collect().isEmpty)
            #expect(socket.state == .closed(SocketClose(1001, isFromPeer: true)))
        }
        let record = try #require(try await sink.waitForRecords(1).first)
        #expect(record.log.contains(isOurs ? "close 1001 by this side" : "close 1001 by the other side"))
        let spans = String(decoding: OTLPTraces.data(of: [record], service: "test"), as: UTF8.self)
        #expect(spans.contains(isOurs ? #""client""# : #""peer""#))
        #expect(CallPage([record]).html.contains(isOurs ? "by this side" : "by the other side"))
        let archive = String(decoding: HARWriter.data(of: [record]), as: UTF8.self)
        #expect(archive.contains(#""isClosedByPeer":\#(!isOurs)"#))
    }
}
