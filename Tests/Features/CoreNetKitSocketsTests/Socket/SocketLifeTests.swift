import CoreNetKitSockets
import TestSupport

@Suite("Sockets: dead peers", .timeLimit(.minutes(10)), .paced)
struct SocketLifeTests {
    @Test("are noticed within interval and timeout of the clock, to the moment", arguments: Stage.Way.allCases)
    func dead(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            peer.stopResponding()
            peer.send(text: "mute")
            while try await peer.next() != .end {}
        }
        let chain = stage.builder.texts { $0.keepAlive = .every(.seconds(20), within: .seconds(5)) }
        let socket = try await chain.process()
        await until { socket.statistics.messagesReceived == 1 }
        let reader = Task { await socketFailure { _ = try await socket.collect() } }
        try await stage.clock.pass(.milliseconds(19_999))
        #expect(socket.statistics.bytesSent == 0)
        stage.clock.advance(by: .milliseconds(1))
        await until { socket.statistics.bytesSent > 0 }
        try await stage.clock.pass(.milliseconds(4_999))
        #expect(socket.state == .open)
        stage.clock.advance(by: .milliseconds(1))
        let (error, cause) = await reader.value
        #expect(error?.code == .connectionLost && cause?.code == .silent)
        #expect(stage.clock.now.offset == .seconds(25))
        // Who sends later hears why, too.
        let (late, why) = await socketFailure { try await socket.send("late") }
        #expect(late?.code == .connectionLost && late?.isSafeToResend == true && why?.code == .silent)
    }

    @Test("are not those that reply, send anything, or have to wait for our reader")
    func alive() async throws {
        let gate = LoopbackGate()
        let line = Line { peer in
            // Replies to one ping, sends half a frame after the next, and nothing more.
            _ = try await peer.next()
            peer.stopResponding()
            _ = try await peer.next()
            peer.send(bytes: Data([0x81]))
            try await gate.wait()
            peer.send(bytes: Data([0x01, 0x61]))
            for _ in 0..<3 { peer.send(text: "more") }
            try await peer.expectClose()
        }
        let socket = try await line.texts { options in
            options.keepAlive = .every(.seconds(20), within: .seconds(5))
            options.inbox = 2
        }.process()
        for round in 1...2 {
            try await line.clock.pass(.seconds(20))
            let (sent, received) = (round * 14, round == 1 ? 10 : 11)
            await until { socket.statistics.bytesSent >= sent && socket.statistics.bytesReceived >= received }
            try await line.clock.pass(.seconds(5))
            #expect(socket.state == .open)
        }
        gate.open()
        await until { socket.statistics.messagesReceived == 2 }
        for _ in 0..<20 { try await line.clock.pass(.seconds(20)) }
        #expect(socket.state == .open)
        #expect(socket.statistics.bytesSent == 28)
        let reader = Task { try await socket.collect() }
        await until { socket.statistics.messagesReceived == 4 }
        await socket.close()
        _ = try await reader.value
    }

    @Test("are not those that a long wait for first messages keeps waiting: silence counts from when reading begins")
    func longFirstMessages() async throws {
        let gate = LoopbackGate()
        let line = Line { peer in
            try await peer.expect(text: "hello")
            peer.send(text: "welcome")
            try await peer.expectClose()
        }
        let isAsked = Locked(false)
        let chain = line.texts { $0.keepAlive = .every(.seconds(20), within: .seconds(5)) }.resuming { _ in
            isAsked.withLock { $0 = true }
            try await gate.wait()
            return ["hello"]
        }
        let opening = Task { try await chain.process() }
        await until { isAsked.withLock { $0 } }
        for step in [20, 5] {
            line.clock.advance(by: .seconds(step))
            for _ in 0..<50 { await Task.yield() }
        }
        gate.open()
        let socket = try await opening.value
        var messages = socket.makeAsyncIterator()
        #expect(try await messages.next() == "welcome")
        #expect(socket.statistics.bytesSent == 11)
        try await line.clock.pass(.seconds(20))
        await until { socket.statistics.bytesSent > 11 }
        await socket.close()
    }

    @Test("cost no timer where nobody asks for a keep-alive")
    func none() async throws {
        let line = Line(.socket { try await $0.expectClose() })
        let socket = try await line.texts { $0.keepAlive = nil }.process()
        #expect(line.clock.sleepers.isEmpty)
        await socket.close()
        await until { line.clock.sleepers.isEmpty }
    }
}
