import CoreNetKitPeer
import CoreNetKitSockets
import CoreNetKitWire
import TestSupport

@Suite("Sockets: what waits for what", .timeLimit(.minutes(10)), .paced)
struct SocketFlowTests {
    @Test("a slow peer gets what was sent before the close, and the close", arguments: Stage.Way.allCases)
    func slowPeer(way: Stage.Way) async throws {
        let (gate, events) = (LoopbackGate(), ReaderQueue<SocketPeerEvent>())
        let stage = try Stage(way) { peer in
            // In a task of its own: that of the script is cancelled as the connection ends.
            try await Task { try await gate.wait() }.value
            for _ in 0..<3 { events.add((try? await peer.next()) ?? .end) }
        }
        let socket: Socket<SocketMessage, SocketMessage> = try await stage.builder.raw { _ in }.process()
        try await socket.send(.text("last"))
        await socket.close()
        gate.open()
        #expect(try await events.next() == .text("last"))
        #expect(try await events.next() == .close(code: 1000, reason: ""))
        #expect(try await events.next() == .end)
    }

    @Test("reply to each of ten pings that come at once, while nobody reads messages")
    func manyPongs() async throws {
        let pongs = ReaderQueue<String>()
        let line = Line { peer in
            let frames = (0..<10).map { SocketFrame(.ping, Data("\($0)".utf8)).bytes(mask: nil) }
            peer.send(bytes: Data(frames.joined()))
            while case .pong(let content) = try await peer.next() {
                pongs.add(String(decoding: content, as: UTF8.self))
            }
        }
        let socket = try await line.texts().process()
        for index in 0..<10 { #expect(try await pongs.next() == "\(index)") }
        await socket.close()
    }

    @Test("time a ping by the clock of the call, and keep the latest")
    func ping() async throws {
        let gate = LoopbackGate()
        let line = Line { peer in
            peer.stopResponding()
            peer.send(text: "mute")
            guard case .ping(let content) = try await peer.next() else { return peer.drop() }
            try await gate.wait()
            // Of a ping that was never sent, and then the one that was.
            peer.pong(Data(repeating: 9, count: 8))
            peer.pong(content)
            _ = try await peer.next()
        }
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        #expect(try await socket.next() == "mute")
        let ping = Task { try await socket.ping() }
        await until { socket.statistics.bytesSent > 0 }
        line.clock.advance(by: .milliseconds(30))
        gate.open()
        #expect(try await ping.value == .milliseconds(30))
        #expect(socket.statistics.latestPing == .milliseconds(30))
    }

    @Test("a ping on its way when the connection ends fails with it")
    func lostPing() async throws {
        let line = Line { peer in
            peer.stopResponding()
            peer.send(text: "mute")
            _ = try await peer.next()
            peer.drop()
        }
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        #expect(try await socket.next() == "mute")
        await expectFailure(.connectionLost) { _ = try await socket.ping() }
        await expectFailure(.connectionLost) { _ = try await socket.ping() }
    }

    @Test("read no further than the inbox allows, and go on when somebody reads")
    func inbox() async throws {
        let line = Line(.socket { peer in for index in 0..<100 { peer.send(text: "\(index)") } })
        let socket = try await line.texts { $0.inbox = 4 }.process()
        await until { socket.statistics.messagesReceived == 4 }
        for _ in 0..<50 { await Task.yield() }
        #expect(socket.statistics.messagesReceived == 4)
        #expect(try await socket.next() == "0")
        await until { socket.statistics.messagesReceived == 5 }
        var rest: [String] = []
        while let message = try await socket.next() { rest.append(message) }
        #expect(rest == (1..<100).map { "\($0)" })
    }

    @Test("what was read is given out before the error of a break")
    func inboxBeforeEnd() async throws {
        let line = Line { peer in
            for index in 0..<3 { peer.send(text: "\(index)") }
            peer.drop()
        }
        let socket = try await line.texts().process()
        await until { if case .closed = socket.state { true } else { false } }
        for index in 0..<3 { #expect(try await socket.next() == "\(index)") }
        await expectFailure(.connectionLost) { _ = try await socket.next() }
    }

    @Test("send in the order of the calls, and wait while the other side does not read", arguments: Stage.Way.allCases)
    func order(_ way: Stage.Way) async throws {
        let gate = LoopbackGate()
        let stage = try Stage(way) { peer in
            peer.pause()
            peer.send(text: "paused")
            try await gate.wait()
            peer.resume()
            for index in 0..<64 { try await peer.expect(data: Data(repeating: UInt8(index), count: 1 << 18)) }
            peer.send(text: "all")
        }
        // The peer is silent for as long as this test is kept waiting: nobody is to judge it by that.
        let socket = try await stage.builder.raw { ($0.keepAlive, $0.outbox) = (nil, 16) }.process()
        #expect(try await socket.next() == .text("paused"))
        let sending = Task {
            for index in 0..<64 { try await socket.send(.data(Data(repeating: UInt8(index), count: 1 << 18))) }
        }
        if way == .wire { await until { socket.statistics.messagesSent > 2 } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(socket.statistics.messagesSent < (way == .wire ? 64 : 1))
        gate.open()
        try await sending.value
        #expect(try await socket.next() == .text("all"))
    }

    /// A socket whose peer reads nothing until the gate opens, and then follows a script.
    private func paused(_ script: @escaping Stage.Script) async throws -> (Socket<String, String>, LoopbackGate) {
        let gate = LoopbackGate()
        let line = Line { peer in
            peer.pause()
            peer.send(text: "paused")
            try await gate.wait()
            try await script(peer)
        }
        let socket = try await line.texts().process()
        #expect(try await socket.next() == "paused")
        return (socket, gate)
    }

    @Test("a cancelled sender sends nothing while it waits for its turn, and all when it has it")
    func cancelledSender() async throws {
        let (socket, gate) = try await paused { peer in
            peer.resume()
            var all: [String] = []
            while case .text(let text) = try await peer.message() {
                all.append(text)
                if text == "last" { return peer.send(text: all.joined(separator: " ")) }
            }
        }
        let begun = Task { try await socket.send("begun") }
        for _ in 0..<50 { await Task.yield() }
        let waiting = Task { try await socket.send("waiting") }
        for _ in 0..<50 { await Task.yield() }
        begun.cancel()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        gate.open()
        try await begun.value
        try await socket.send("last")
        #expect(try await socket.next() == "begun last")
    }

    @Test("messages that wait when the connection breaks say that none of their bytes left")
    func unsent() async throws {
        let (socket, gate) = try await paused { $0.drop() }
        let first = Task { try await socket.send("first") }
        for _ in 0..<50 { await Task.yield() }
        let second = Task { try await socket.send("second") }
        for _ in 0..<50 { await Task.yield() }
        gate.open()
        await expectFailure(.connectionLost) { _ = try await socket.next() }
        #expect(await socketFailure { try await second.value }.0?.isSafeToResend == true)
        first.cancel()
    }

    @Test("a close of the other side gets its response behind a message that is being written")
    func closedWhileWriting() async throws {
        let (closed, codes) = (LoopbackGate(), ReaderQueue<UInt16>())
        let (socket, gate) = try await paused { peer in
            defer { codes.end() }
            peer.close(1011)
            try await closed.wait()
            peer.resume()
            try await peer.expect(text: "first")
            codes.add(try await peer.expectClose())
        }
        let first = Task { try? await socket.send("first") }
        for _ in 0..<50 { await Task.yield() }
        gate.open()
        await expectFailure(.reportedByServer) { _ = try await socket.next() }
        closed.open()
        await first.value
        #expect(try await codes.next() == 1011)
    }

    @Test("messages that are not the model's end a socket, or are left out and counted where that is asked for")
    func unreadable() async throws {
        let line = Line { peer in
            for text in ["1", "no number", "3"] { peer.send(text: text) }
            try await peer.expectClose()
        } then: { peer in
            for text in ["1", "no number", "3"] { peer.send(text: text) }
        }
        let chain: Chain<Void, Socket<Int, Int>> = line.builder().socket(reading: .json, writing: .json)
        await expectFailure(.decodingFailed) { _ = try await chain.process().collect() }
        let socket = try await chain.skippingUnreadable().process()
        #expect(try await socket.collect() == [1, 3])
        #expect(socket.statistics.skipped == 1)
    }

    @Test("a message that says that there is an error ends a socket with it")
    func failing() async throws {
        struct Refusal: Error, Equatable {}
        let line = Line { peer in
            for text in ["a", "error", "b"] { peer.send(text: text) }
            try await peer.expectClose()
        }
        let chain = line.texts().failing { (text: String) in text == "error" ? Refusal() : nil }
        var messages = try await chain.process().makeAsyncIterator()
        #expect(try await messages.next() == "a")
        let (error, _) = await socketFailure { _ = try await messages.next() }
        #expect(error?.code == .reportedByServer && error?.cause is Refusal)
    }

    @Test("an observer gets each message, and closes the socket when it is cancelled")
    func observer() async throws {
        let codes = ReaderQueue<UInt16>()
        let gate = LoopbackGate()
        let line = Line { peer in
            try await gate.wait()
            peer.send(text: "a")
            peer.send(text: "b")
            codes.add(try await peer.expectClose())
        }
        let texts = ReaderQueue<String>()
        let observer: Observer<String> = line.texts().messages()
        observer.dispatchOn(.global()).onCompleted { texts.add($0) }
        gate.open()
        #expect(try await texts.next() == "a")
        #expect(try await texts.next() == "b")
        observer.cancel()
        #expect(try await codes.next() == 1001)
    }
}
