import CoreNetKitPeer
import CoreNetKitSockets
import TestSupport

@Suite("Calls over a socket", .timeLimit(.minutes(10)), .paced)
struct SocketCallsTests {
    private struct Note: Codable, Equatable, Sendable {
        var id: Int?
        var word: String

        init(_ id: Int?, _ word: String) { (self.id, self.word) = (id, word) }
    }

    private func calls(
        _ builder: UrlChainsBuilder<String>,
        _ change: (inout SocketOptions) -> Void = { _ in }
    ) async throws -> SocketCalls<Note, Note, Int> {
        var options = SocketOptions { $0.keepAlive = nil }
        change(&options)
        let chain = builder.socket(reading: SocketReading<Note>.json, writing: SocketWriting<Note>.json, options)
        return SocketCalls(try await chain.process()) { $0.id }
    }

    @Test("get the response with their id, in whatever order responses come", arguments: Stage.Way.allCases)
    func responses(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            var notes: [Note] = []
            for _ in 0..<3 { notes.append(try await peer.receive(Note.self)) }
            peer.send(json: Note(nil, "news"))
            for note in notes.sorted(by: { ($0.id ?? 0) > ($1.id ?? 0) }) {
                peer.send(json: Note(note.id, note.word + "!"))
            }
            peer.send(json: Note(99, "of nobody"))
            try await peer.expectClose()
        }
        let calls = try await calls(stage.builder)
        async let first = calls.call(1, Note(1, "a"))
        async let second = calls.call(2, Note(2, "b"))
        async let third = calls.call(3, Note(3, "c"))
        #expect(try await [first.word, second.word, third.word] == ["a!", "b!", "c!"])
        var others = calls.others.makeAsyncIterator()
        #expect(await others.next() == Note(nil, "news"))
        #expect(await others.next() == Note(99, "of nobody"))
        await calls.close()
        #expect(await others.next() == nil)
    }

    @Test("fail at their deadline by the clock, and free their id")
    func deadline() async throws {
        let line = Line(.socket { peer in while try await peer.next() != .end {} })
        let calls = try await calls(line.builder())
        let call = Task { await socketFailure { _ = try await calls.call(1, Note(1, "a"), deadline: .seconds(5)) } }
        try await line.clock.pass(.seconds(5))
        #expect(await call.value.0?.code == .deadlineExceeded)
        let other = Task { await socketFailure { _ = try await calls.call(1, Note(1, "a"), deadline: .seconds(5)) } }
        try await line.clock.waitForSleepers(1)
        await expectFailure(.invalidRequest) { _ = try await calls.call(1, Note(1, "again")) }
        other.cancel()
        _ = await other.value
    }

    @Test("fail when their connection ends, and go on over the next one", arguments: Stage.Way.allCases)
    func lost(_ way: Stage.Way) async throws {
        let stage = try Stage(way) { peer in
            _ = try await peer.message()
            peer.drop()
        } then: { peer in
            let note = try await peer.receive(Note.self)
            peer.send(json: Note(note.id, "back"))
            try await peer.expectClose()
        }
        let calls = try await calls(stage.builder) { $0.reconnection = .standard }
        let (error, _) = await socketFailure { _ = try await calls.call(1, Note(1, "a")) }
        #expect(error?.code == .connectionLost && error?.isSafeToResend == false)
        let again = Task { try await calls.call(1, Note(1, "a"), deadline: .seconds(3600)) }
        // The wait for the next connection, and the deadline.
        try await stage.clock.waitForSleepers(2)
        try await stage.clock.advanceToNextSleeper()
        #expect(try await again.value.word == "back")
        await calls.close()
    }

    @Test("of streams give every message with their id, to the last; who leaves before says so")
    func streams() async throws {
        let left = Line { peer in
            _ = try await peer.message()
            for index in 1...3 { peer.send(json: Note(1, "\(index)")) }
            try await peer.expect(json: Note(1, "stop"))
            peer.send(json: Note(nil, "stopped"))
            _ = try await peer.message()
            for index in 1...3 { peer.send(json: Note(2, "\(index)")) }
            try await peer.expectClose()
        }
        let calls = try await calls(left.builder())
        var words: [String] = []
        do {
            for try await note in calls.stream(1, Note(1, "start"), leaving: Note(1, "stop")) {
                words.append(note.word)
                if words.count == 2 { break }
            }
        }
        #expect(words == ["1", "2"])
        var others = calls.others.makeAsyncIterator()
        // The third one may come before its reader has left.
        var last = await others.next()
        if last?.word == "3" { last = await others.next() }
        #expect(last == Note(nil, "stopped"))
        let whole = try await calls.stream(2, Note(2, "start"), leaving: Note(2, "stop")) { $0.word == "3" }.collect()
        #expect(whole.map(\.word) == ["1", "2", "3"])
        await calls.close()
    }

    @Test("of streams that resume ask again over each new connection; others fail with theirs")
    func resumes() async throws {
        let line = Line { peer in
            for _ in 0..<2 {
                let note = try await peer.receive(Note.self)
                peer.send(json: Note(note.id, "first"))
            }
            _ = try await peer.message()
            peer.drop()
        } then: { peer in
            try await peer.expect(json: Note(1, "start"))
            peer.send(json: Note(1, "second"))
            try await peer.expectClose()
        }
        let calls = try await calls(line.builder()) { $0.reconnection = .standard }
        var kept = calls.stream(1, Note(1, "start"), resumes: true).makeAsyncIterator()
        var lost = calls.stream(2, Note(2, "start")).makeAsyncIterator()
        #expect(try await kept.next()?.word == "first")
        #expect(try await lost.next()?.word == "first")
        await expectFailure(.connectionLost) { _ = try await calls.call(3, Note(3, "x")) }
        await expectFailure(.connectionLost) { _ = try await lost.next() }
        try await line.clock.advanceToNextSleeper()
        #expect(try await kept.next()?.word == "second")
        await calls.close()
    }

    /// Sends back how many messages have come.
    private static let counting: MockResponse = .socket { peer in
        var count = 0
        while true {
            let note = try await peer.receive(Note.self)
            count += 1
            peer.send(json: Note(note.id, "\(count)"))
        }
    }

    @Test("of a stream that resumes ask once over the first connection after they began between two")
    func begunBetween() async throws {
        let line = Line(.socket { $0.drop() }, Self.counting)
        let calls = try await calls(line.builder()) { $0.reconnection = .standard }
        try await line.clock.waitForSleepers(1)
        var kept = calls.stream(1, Note(1, "start"), resumes: true).makeAsyncIterator()
        for _ in 0..<50 { await Task.yield() }
        try await line.clock.advanceToNextSleeper()
        #expect(try await kept.next()?.word == "1")
        #expect(try await calls.call(2, Note(2, "count")).word == "2")
        await calls.close()
        let late = calls.stream(3, Note(3, "late"), resumes: true)
        let (error, cause) = await socketFailure { _ = try await late.collect() }
        #expect(error?.isSafeToResend == true && cause?.code == .notOpen)
    }

    @Test("of a stream that was left before it could ask send nothing", arguments: [false, true])
    func leftBetween(_ resumes: Bool) async throws {
        let line = Line(.socket { $0.drop() }, Self.counting)
        let calls = try await calls(line.builder()) { $0.reconnection = .standard }
        try await line.clock.waitForSleepers(1)
        do { _ = calls.stream(1, Note(1, "start"), leaving: Note(1, "stop"), resumes: resumes) }
        for _ in 0..<50 { await Task.yield() }
        let counting = Task { try await calls.call(2, Note(2, "count"), deadline: .seconds(3600)) }
        try await line.clock.waitForSleepers(2)
        try await line.clock.advanceToNextSleeper()
        #expect(try await counting.value.word == "1")
        await calls.close()
    }

    @Test("of a stream that resumes ask over the next connection when their first message was cut")
    func cutAtTheStart() async throws {
        let gate = LoopbackGate()
        let line = Line(
            .socket { peer in
                peer.pause()
                peer.send(json: Note(nil, "paused"))
                try await gate.wait()
                peer.drop()
            },
            Self.counting
        )
        let calls = try await calls(line.builder()) { $0.reconnection = .standard }
        var others = calls.others.makeAsyncIterator()
        #expect(await others.next()?.word == "paused")
        // Being written when the connection breaks; the stream's first message waits behind it.
        let written = Task { await socketFailure { _ = try await calls.call(2, Note(2, "written")) } }
        for _ in 0..<50 { await Task.yield() }
        var kept = calls.stream(1, Note(1, "start"), resumes: true).makeAsyncIterator()
        for _ in 0..<50 { await Task.yield() }
        gate.open()
        #expect(await written.value.0?.code == .connectionLost)
        try await line.clock.advanceToNextSleeper()
        #expect(try await kept.next()?.word == "1")
        await calls.close()
    }

    @Test("of a stream that has given its last message do not say that they leave")
    func last() async throws {
        let line = Line(Self.counting)
        let calls = try await calls(line.builder())
        let whole = try await calls.stream(1, Note(1, "start"), leaving: Note(1, "stop")) { $0.word == "1" }.collect()
        #expect(whole.count == 1)
        #expect(try await calls.call(2, Note(2, "count")).word == "2")
        await calls.close()
    }

    @Test("of a stream that nobody reads are not kept without limit")
    func overflow() async throws {
        let line = Line { peer in
            _ = try await peer.message()
            for index in 0..<20 { peer.send(json: Note(1, "\(index)")) }
            peer.send(json: Note(nil, "sent"))
            try await peer.expectClose()
        }
        let calls = try await calls(line.builder())
        let stream = calls.stream(1, Note(1, "start"), ahead: 10)
        var others = calls.others.makeAsyncIterator()
        var other = await others.next()
        while let found = other, found.word != "sent" { other = await others.next() }
        var words: [String] = []
        await expectFailure(.responseTooLarge) { for try await note in stream { words.append(note.word) } }
        #expect(words == (0..<10).map { "\($0)" })
    }

    @Test("close their socket when nobody holds them")
    func drops() async throws {
        let codes = ReaderQueue<UInt16>()
        let line = Line(.socket { peer in codes.add(try await peer.expectClose()) })
        do { _ = try await calls(line.builder()) }
        #expect(try await codes.next() == 1001)
    }
}
