import FileModel
import TestSupport

@testable import CoreNetKitOutbox

private struct Run: Sendable {
    /// Bodies whose `enqueue` has returned.
    var accepted: Set<String> = []
    /// Bodies whose `enqueue` has thrown, except the uncertain ones.
    var refused: Set<String> = []
    var cancelled: Set<String> = []
}

@Suite("Stops at every system call", .timeLimit(.minutes(10)), .paced)
struct CrashTests {
    /// Every call in `.ci/proofs outbox-kills`, else every third one.
    private let step = TestRounds.given == nil ? 11 : 1

    /// Enqueues, cancels and delivers; the server cuts some connections.
    private func program(_ files: ModelFiles, _ server: TestServer) async -> Run {
        let time = TestTime()
        let outbox = Outbox.test(files, time: time) { $0.segmentLimit = 1500 }
        var run = Run()
        var receipts: [String: UUID] = [:]
        for number in 0..<6 {
            let body = "order-\(number)" + String(repeating: "x", count: number == 3 ? 900 : 0)
            do {
                receipts[body] = try await outbox.put(body, in: "q\(number % 2)").id
                run.accepted.insert(body)
            } catch let error as OutboxError where error.code != .uncertain {
                run.refused.insert(body)
            } catch {}
            if number == 2, let id = receipts["order-1"] {
                // Without a result of `cancel` it may or may not be sent.
                run.accepted.remove("order-1")
                switch try? await outbox.cancel(id) {
                case .cancelled: run.cancelled.insert("order-1")
                case .tooLate: run.accepted.insert("order-1")
                case nil: break
                }
            }
            if number == 3 { await outbox.drain(to: server, from: files, time) }
        }
        await outbox.drain(to: server, from: files, time)
        return run
    }

    private func server() -> TestServer { TestServer { _, count in count % 3 == 1 ? .doneAndCut : .status(201) } }

    private func check(_ run: Run, _ server: TestServer, _ place: String) {
        for body in run.accepted.subtracting(run.cancelled) {
            let count = server.effects[body] ?? 0
            #expect(count == 1, "\(place): \(body.prefix(8)) was carried out \(count) times")
        }
        for body in run.cancelled.union(run.refused) {
            #expect(server.effects[body] == nil, "\(place): \(body.prefix(8)) was sent")
        }
    }

    private func callCount() async -> Int {
        let files = ModelFiles()
        _ = await program(files, server())
        return files.calls
    }

    @Test("When enqueue has returned, the request ends in a final state, whatever the instants of kill −9")
    func kills() async throws {
        let total = await callCount()
        #expect(total > 40)
        for call in stride(from: 1, through: total, by: step) {
            let (files, server) = (ModelFiles(), server())
            files.stop(atCall: call)
            let run = await program(files, server)
            // Killed once more while it recovers, and then left alone.
            let second = files.afterKill()
            second.stop(atCall: 1 + call % 7)
            let time = TestTime()
            await Outbox.test(second, time: time).drain(to: server, from: second, time)
            try await Outbox.test(second.afterKill()).drain(to: server)
            check(run, server, "killed in call \(call)")
        }
    }

    @Test("What was synced outlasts a loss of power at every system call, whatever else reached the disk")
    func powerLoss() async throws {
        let total = await callCount()
        for call in stride(from: 1, through: total, by: step) {
            for variant in 0..<3 {
                let (files, server) = (ModelFiles(), server())
                files.stop(atCall: call)
                let run = await program(files, server)
                var random = SplitMix64(seed: UInt64(call * 3 + variant))
                let after = files.afterPowerLoss { $0 = variant == 0 ? false : Bool.random(using: &random) }
                try await Outbox.test(after).drain(to: server)
                check(run, server, "power lost in call \(call), variant \(variant)")
            }
        }
    }

    @Test("An entry with `.atMostOnce` is on the wire at most once, also when killed between sending and noting")
    func atMostOnce() async throws {
        func program(_ files: ModelFiles, _ server: TestServer) async {
            let time = TestTime()
            let outbox = Outbox.test(files, time: time)
            for number in 0..<3 { _ = try? await outbox.put("\(number)", repetition: .atMostOnce) }
            await outbox.drain(to: server, from: files, time)
        }
        let whole = ModelFiles()
        await program(whole, TestServer())
        for call in stride(from: 1, through: whole.calls, by: step) {
            for variant in 0..<3 {
                let (files, server) = (ModelFiles(), TestServer(honoursKeys: false))
                files.stop(atCall: call)
                await program(files, server)
                var random = SplitMix64(seed: UInt64(call))
                let after =
                    variant == 0
                    ? files.afterKill()
                    : files.afterPowerLoss { $0 = variant == 1 ? false : Bool.random(using: &random) }
                try await Outbox.test(after).drain(to: server)
                let counts = Dictionary(grouping: server.requests, by: \.body).mapValues(\.count)
                #expect(counts.values.allSatisfy { $0 == 1 }, "call \(call), variant \(variant): \(counts)")
            }
        }
    }

    @Test("Time in state `sending` without a process is zero: after a restart nothing is stuck")
    func nothingStuck() async throws {
        let files = ModelFiles()
        let outbox = Outbox.test(files)
        try await outbox.put("keyed", in: "a")
        try await outbox.put("plain", in: "b", repetition: .byMethod)
        guard case .attempt = await outbox.engine.next(), case .attempt = await outbox.engine.next() else {
            return #expect(Bool(false), "two attempts")
        }
        #expect(await outbox.state.sending == 2)
        let again = Outbox.test(files.afterKill())
        try await again.drain(to: TestServer())
        let state = await again.state
        #expect(state.sending == 0 && state.waiting == 0)
        #expect(state.deadLetters.map(\.state) == [.inDoubt("the process ended while it was being sent")])
    }

    @Test("All attempts of an entry, over restarts, have the same method, URL, body bytes and key")
    func sameAttempts() async throws {
        let server = TestServer { _, count in count < 8 ? .cut : .status(201) }
        var files = ModelFiles()
        try await Outbox.test(files).put("order", in: "a")
        for _ in 0..<4 {
            let outbox = Outbox.test(files)
            for _ in 0..<2 {
                guard case .attempt(let attempt) = await nextAttempt(outbox) else { continue }
                let outcome: DeliveryOutcome
                do { outcome = DeliveryOutcome(try await server.send(attempt), now: Date()) } catch {
                    outcome = DeliveryOutcome.of(error, now: Date()).0
                }
                await outbox.engine.finish(attempt, await outbox.engine.verdict(on: outcome, of: attempt), nil)
            }
            files = files.afterKill()
        }
        let requests = server.requests
        #expect(requests.count == 8)
        #expect(Set(requests.map { [$0.method, $0.url, $0.body, $0.key ?? ""] }).count == 1)
        #expect(requests[0].key != nil)
    }

    private func nextAttempt(_ outbox: Outbox) async -> OutboxEngine.Step {
        for _ in 0..<10 {
            let step = await outbox.engine.next()
            guard case .idle(let until?) = step else { return step }
            try? await outbox.engine.time.sleep(until)
        }
        return .idle(until: nil)
    }

    @Test("Flipping any one bit never sends changed bytes and loses at most one entry, which is reported")
    func flips() async throws {
        let files = ModelFiles()
        let outbox = Outbox.test(files) { $0.segmentLimit = 1500 }
        let bodies = (0..<6).map { "order-\($0)" }
        for body in bodies { try await outbox.put(body, in: "q") }
        var random = SplitMix64(seed: 99)
        let paths = files.paths.filter { files.bytes(of: $0)?.isEmpty == false }
        for _ in 0..<TestRounds.count(100) {
            let after = files.afterKill()
            let path = try #require(paths.randomElement(using: &random))
            after.change(path) { bytes in
                let bit = Int.random(in: 0..<bytes.count * 8, using: &random)
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            }
            let server = TestServer()
            let again = Outbox.test(after)
            try await again.drain(to: server)
            let sent = server.bodies
            #expect(Set(sent).isSubset(of: bodies) && sent.count >= bodies.count - 1 && sent == sent.sorted())
            #expect(server.requests.allSatisfy { $0.url == testURL.absoluteString && $0.method == "POST" })
            let reports = await again.state.reports
            #expect(sent.count == bodies.count || reports.contains { if case .damaged = $0 { true } else { false } })
        }
    }
}
