import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("Several processes on one folder", .timeLimit(.minutes(10)), .paced)
struct ProcessTests {
    private let files = ModelFiles()
    private let server = TestServer()
    private let first: Outbox
    private let second: Outbox

    init() { (first, second) = (.test(files), .test(files)) }

    @Test("one delivers, the others' entries are adopted once, in order")
    func adoption() async throws {
        let third = Outbox.test(files)
        try await first.put("first 1", in: "a")
        for number in 1...3 { try await second.put("second \(number)", in: "b") }
        try await third.put("third 1", in: "c")
        #expect(await first.state.isDelivering)
        #expect(await second.state.isDelivering == false)
        try await first.drain(to: server)
        try await second.put("second 4", in: "b")
        try await first.drain(to: server)
        #expect(server.effects.count == 6 && server.effects.values.allSatisfy { $0 == 1 })
        #expect(server.bodies.filter { $0.hasPrefix("second") } == (1...4).map { "second \($0)" })
        #expect(inboxes.isEmpty)
        #expect(await code { try await second.cancel(UUID()) } == .deliveredElsewhere)
    }

    private var inboxes: [String] { files.paths.filter { $0.contains("inbox") } }

    /// Fifty entries of a second process, in several files.
    private func fillInboxes() async throws {
        let second = Outbox.test(files) { $0.limits.longestInlineBody = 1 << 19 }
        try await first.put("0", in: "a")
        let padding = String(repeating: ".", count: 120 << 10)
        for number in 10..<60 { try await second.put("\(number)\(padding)", in: "b") }
        #expect(inboxes.count > 4)
    }

    @Test("what a process stores while another has the folder is sent in order, across several files", arguments: 1...3)
    func orderOverFiles(round: Int) async throws {
        try await fillInboxes()
        try await first.drain(to: server)
        #expect(server.requests.dropFirst().map { Int($0.body.prefix(2)) } == (10..<60).map { $0 })
    }

    @Test("a flipped bit anywhere in an inbox changes nothing, and loses at most one entry, which is reported")
    func flippedInbox() async throws {
        _ = await first.state
        for number in 1...2 { try await second.put("\(number)", in: "b") }
        let path = try #require(inboxes.first)
        let count = try #require(files.bytes(of: path)).count
        for bit in stride(from: SegmentHead.count * 8, to: count * 8, by: TestRounds.given == nil ? 61 : 7) {
            let (copy, server) = (files.afterKill(), TestServer())
            copy.change(path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            let reader = Outbox.test(copy)
            try await reader.drain(to: server)
            let bodies = server.bodies
            #expect(bodies == ["1", "2"] || bodies == ["1"] || bodies == ["2"], "bit \(bit): \(bodies)")
            let reports = await reader.state.reports
            let isReported = reports.contains { if case .damaged = $0 { true } else { false } }
            #expect(bodies.count == 2 || isReported, "bit \(bit)")
        }
    }

    @Test("after suspend another one delivers, and what is enqueued meanwhile is not lost")
    func suspension() async throws {
        try await first.put("1")
        try await second.put("2")
        await first.suspend()
        try await first.put("3")
        try await second.drain(to: server)
        #expect(server.effects == ["1": 1, "2": 1, "3": 1])
        try await first.put("4")
        await second.suspend()
        try await first.resume()
        try await first.drain(to: server)
        #expect(server.effects.count == 4 && server.requests.count == 4)
    }

    @Test("an outbox created where one has just ended has the folder: its stored entries are sent, not forgotten")
    func successor() async throws {
        let folder = try TemporaryFolder()
        let engine: OutboxEngine
        let letters: Outbox.DeadLetters
        do {
            let first = try Outbox(at: folder.box)
            try await first.put("1")
            // Running work may outlive its outbox for a moment, and some of its values as long as an app keeps them.
            (engine, letters) = (first.engine, first.deadLetters)
        }
        let second = try Outbox(at: folder.box)
        let receipt = try await second.put("2")
        try await second.drain(to: server)
        #expect(server.effects == ["1": 1, "2": 1])
        #expect(try await receipt.delivery().response.status == 201)
        #expect(await letters.all.isEmpty)
        _ = await engine.snapshot()
        #expect(await second.state.isDelivering)
    }

    @Test("drain reports that another process has the folder, instead of that nothing is left")
    func drainElsewhere() async throws {
        try await first.put("1")
        try await second.put("2")
        #expect(await code { try await second.drain(to: server) } == .deliveredElsewhere)
        #expect(server.requests.isEmpty)
        await first.suspend()
        #expect(await code { try await first.drain(to: server) } == .deliveredElsewhere)
        try await second.drain(to: server)
        #expect(server.effects == ["1": 1, "2": 1])
    }

    @Test("with a time limit, drain waits for the folder until then", arguments: [false, true])
    func drainWaits(isLetGo: Bool) async throws {
        let time = TestTime()
        let first = Outbox.test(files, time: time)
        let second = Outbox.test(files, time: time) { $0.pollInterval = .seconds(1) }
        try await first.put("1")
        let looks = Locked(0)
        time.onSleep {
            // The process that has the folder ends while the other one waits.
            if looks.next() == 3, isLetGo { Task { await first.suspend() } }
        }
        let code = await code {
            try await second.deliver(until: .seconds(isLetGo ? 100_000 : 30), stopsWhenDone: true) {
                try await server.send($0)
            }
        }
        #expect(code == (isLetGo ? nil : .deliveredElsewhere))
        #expect(server.effects == (isLetGo ? ["1": 1] : [:]))
        #expect(looks.withLock { $0 } >= 3)
    }

    @Test("an inbox whose writer or reader is stopped at any call loses nothing and duplicates nothing")
    func stoppedAdoption() async throws {
        func program(_ files: ModelFiles, _ server: TestServer) async -> Set<String> {
            let time = TestTime()
            let (first, second) = (Outbox.test(files, time: time), Outbox.test(files, time: time))
            var accepted: Set<String> = []
            if (try? await first.put("0")) != nil { accepted.insert("0") }
            for number in 1...3 where (try? await second.put("\(number)")) != nil { accepted.insert("\(number)") }
            await first.drain(to: server, from: files, time)
            return accepted
        }
        let whole = ModelFiles()
        _ = await program(whole, TestServer())
        for call in 1...whole.calls {
            let (files, server) = (ModelFiles(), TestServer())
            files.stop(atCall: call)
            let accepted = await program(files, server)
            var random = SplitMix64(seed: UInt64(call))
            for after in [files.afterKill(), files.afterPowerLoss { $0 = Bool.random(using: &random) }] {
                try await Outbox.test(after).drain(to: server)
                #expect(accepted.allSatisfy { server.effects[$0] == 1 }, "stopped in call \(call)")
            }
        }
    }

    @Test("Two processes on one folder never send the same entry at the same time", arguments: [2, 4])
    func contention(count: Int) async throws {
        let folder = try TemporaryFolder()
        let server = TestServer(honoursKeys: false)
        let path = folder.box.path
        try await concurrently(count) { process in
            let outbox = Outbox.test(PosixFiles(), folder: path) { $0.durability = .written }
            for number in 0..<15 {
                try await outbox.put("\(process)-\(number)", in: "q\(process)")
                if number % 5 == process {
                    await outbox.suspend()
                    try await outbox.resume()
                }
                guard number % 3 == 0 else { continue }
                do { try await outbox.drain(to: server) } catch let error as OutboxError {
                    #expect(error.code == .deliveredElsewhere)
                }
            }
            await outbox.suspend()
        }
        try await Outbox.test(PosixFiles(), folder: path).drain(to: server)
        #expect(server.overlaps == 0)
        #expect(server.effects.count == 15 * count)
        #expect(server.effects.values.allSatisfy { $0 == 1 })
    }

    @Test("a file that another process is writing holds up that process's later ones")
    func busyFile() async throws {
        try await fillInboxes()
        let before = inboxes
        let file = try files.open(try #require(before.first), .update)
        #expect(try files.tryLock(file))
        #expect(try await !first.engine.adoptInboxes())
        #expect(inboxes == before)
        files.unlock(file)
        #expect(try await first.engine.adoptInboxes())
        #expect(inboxes.isEmpty)
    }

    @Test("a receipt says that its entry is being sent")
    func sending() async throws {
        let receipt = try await first.put("1", in: "a")
        let states = receipt.states
        try await first.drain(to: TestServer())
        var seen: [OutboxEntry.State] = []
        for await state in states { seen.append(state) }
        #expect(seen.contains(.sending))
    }
}
