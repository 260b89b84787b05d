import TestSupport

@testable import CoreNetKitOutbox

/// A server that honours keys: it counts one effect for each, and how often it was asked.
private final class KeyServer: Sendable {
    private struct State: Sendable {
        var effects: [String: Int] = [:]
        var bodies: [String: String] = [:]
        var changed = 0
        var requests = 0
    }

    let server: LoopbackServer
    private let state = Locked(State())

    init() throws {
        let state = state
        server = try LoopbackServer(recording: .off) { request in
            let (key, body) = (request.headers["Idempotency-Key"] ?? "", String(decoding: request.body, as: UTF8.self))
            let count = state.withLock { state -> Int in
                state.requests += 1
                if let known = state.bodies[key] {
                    if known != body { state.changed += 1 }
                } else {
                    state.bodies[key] = body
                    state.effects[body, default: 0] += 1
                }
                return state.requests
            }
            return count % 7 == 0 ? .fault(.close(.beforeStatus)) : LoopbackResponse(status: 201)
        }
    }

    var effects: [String: Int] { state.withLock { $0.effects } }
    var changed: Int { state.withLock { $0.changed } }
}

@Suite("kill −9 of a real process", .timeLimit(.minutes(TestRounds.count(8) > 50 ? 60 : 10)), .paced)
struct KillTests {
    private static let rounds = TestRounds.count(8)
    private static let entriesPerRound = TestRounds.given == nil ? 40 : 400
    /// Microseconds from a process' first stored entry to its end.
    private static let longestLife = TestRounds.given == nil ? 40_000 : 200_000
    private static let program = TestProgram.named("OutboxProgram")

    @Test("A server that honours keys counts one effect per entry, whenever it is killed", .enabled(if: program != nil))
    func kills() async throws {
        let folder = try TemporaryFolder()
        let server = try KeyServer()
        var random = SplitMix64(seed: TestRounds.seed(8))
        var (accepted, first) = (Set<String>(), 0)
        for round in 0..<Self.rounds {
            let child = try start(folder, server, first, Self.entriesPerRound, "deliver")
            // In some rounds a second process enqueues only, and is killed too.
            let second = round % 3 == 2 ? try start(folder, server, first + 5_000_000, 20, "enqueue") : nil
            // Every fourth is killed while it starts, the others while they store and deliver.
            var tries = round % 4 == 0 ? 0 : 2000
            while child.lines.isEmpty, tries > 0 {
                // Real time: the child is another process.
                try await Task.sleep(for: .milliseconds(2))
                tries -= 1
            }
            // Real time: the child is another process.
            try await Task.sleep(for: .microseconds(Int.random(in: 0..<Self.longestLife, using: &random)))
            for process in [child, second] {
                await process?.kill()
                accepted.formUnion(process?.lines.filter { Int($0) != nil } ?? [])
            }
            first += Self.entriesPerRound
        }
        let last = try start(folder, server, 0, 0, "deliver")
        await last.end()
        #expect(last.lines.last == "left 0 dead 0")
        let effects = server.effects
        let lost = accepted.filter { effects[$0] == nil }
        let doubled = effects.filter { $0.value > 1 }
        #expect(lost.isEmpty && doubled.isEmpty && server.changed == 0)
        #expect(!accepted.isEmpty)
        print(
            "kills: \(Self.rounds), stored: \(accepted.count), carried out: \(effects.count), lost: \(lost.count), doubled: \(doubled.count)"
        )
    }

    private func start(
        _ folder: TemporaryFolder,
        _ server: KeyServer,
        _ first: Int,
        _ count: Int,
        _ mode: String
    ) throws -> ChildProcess {
        let url = server.server.url.appendingPathComponent("orders").absoluteString
        return try ChildProcess(Self.program, [folder.box.path, url, "\(first)", "\(count)", mode], in: folder)
    }
}

@Suite("The folder of an outbox of version 0.2", .timeLimit(.minutes(10)), .paced)
struct EarlierFolderTests {
    private let fixture: Fixture
    private let time = TestTime()

    init() throws {
        fixture = try Fixture("outbox")
        time.reboot()
        time.advance(by: .seconds(3600))
    }

    private func open(owner: String? = nil) -> Outbox {
        .test(PosixFiles(), time: time, owner: owner, folder: fixture.folder.path) { $0.limits.longestInlineBody = 64 }
    }

    /// Delivers all that goes by itself: the bodies in their order, and their keys.
    private func drain(_ outbox: Outbox) async throws -> (sent: [String], keys: [String: String]) {
        let sent = Recorder<(String, String?)>()
        try await outbox.deliver(until: nil, stopsWhenDone: true) { attempt in
            var body = attempt.request.body.data ?? Data()
            if case .file(let url) = attempt.request.body.content { body = try Data(contentsOf: url) }
            sent.record((String(decoding: body, as: UTF8.self), attempt.request.headers["Idempotency-Key"]))
            return TransportResponse(status: 201, url: attempt.request.url)
        }
        let keys = sent.values.compactMap { body, key in key.map { (body, $0) } }
        return (sent.values.map(\.0), Dictionary(keys) { first, _ in first })
    }

    @Test("is opened: what waited, failed and could not be decided is there, and is sent in its order")
    func opens() async throws {
        let outbox = open()
        let state = await outbox.state
        let letters = await outbox.deadLetters.all
        #expect(letters.map(\.queue) == ["refused", "doubtful"])
        #expect(letters.map { "\($0.state)" }.map { $0.prefix(4) } == ["dead", "inDo"])
        #expect(state.problem == nil && state.reports.isEmpty, "\(state.reports)")
        #expect(state.queues.map(\.name).sorted() == ["anna", "merged", "post/1", "retried", "second process"])
        #expect(state.queues.first { $0.name == "anna" }?.pause != nil)

        let (sent, keys) = try await drain(outbox)
        let long = String(repeating: "blob ", count: 40)
        #expect(sent.filter { $0.hasPrefix("post") || $0 == long } == ["post 1", long, "post 2"])
        #expect(Set(sent) == ["post 1", "post 2", long, "retried", "merged 2", "from another process"])
        #expect(keys["retried"] == "key of 0.2")
        #expect(await outbox.state.waiting == 1)
    }

    @Test("is continued: dead letters are sent again, new entries follow old ones, and the next process has both")
    func continues() async throws {
        do {
            let outbox = open()
            #expect(await outbox.state.problem == nil)
            for letter in await outbox.deadLetters.all { try await outbox.deadLetters.retry(letter.id) }
            try await outbox.put("new", in: "post/1")
        }
        let next = open(owner: "anna")
        let (sent, _) = try await drain(next)
        #expect(sent.count == 10 && Set(sent).isSuperset(of: ["refused", "doubtful", "new", "of anna"]), "\(sent)")
        #expect(sent.lastIndex(of: "new") ?? 0 > sent.lastIndex(of: "post 2") ?? .max)
        #expect(await next.state.waiting == 0)
        #expect(await next.deadLetters.all.isEmpty)
    }
}
