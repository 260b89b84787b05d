import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitSystem
import FileModel
import Foundation
import TestPace
import Testing

@testable import CoreNetKitOutbox

@Suite("The outbox at a sign-out", .timeLimit(.minutes(10)), .paced)
struct SignOutTests {
    private let files = ModelFiles()
    private let time = TestTime()

    private func put(_ outbox: Outbox, _ body: String, of owner: String?) async throws {
        try await outbox.enqueue(
            OutboxRequest(method: .post, url: testURL, body: .bytes(Data(body.utf8))),
            in: "comments",
            repetition: .keyIsHonoured(),
            owner: owner
        )
    }

    private func holds(_ text: String) -> Bool {
        let files = files.afterKill()
        return files.paths.contains { path in
            files.bytes(of: path).map { String(decoding: $0, as: UTF8.self).contains(text) } ?? false
        }
    }

    @Test("the user's waiting entries are removed, from the files too, and others stay")
    func removes() async throws {
        let outbox = Outbox.test(files, time: time)
        for (body, owner) in [("canary-alice", "alice"), ("canary-bob", "bob"), ("canary-nobody", nil)] {
            try await put(outbox, body, of: owner)
        }
        #expect(outbox.kind == .requests)
        try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        #expect(!holds("canary-alice") && holds("canary-bob"))
        let server = TestServer()
        try await outbox.switchOwner(to: "bob")
        try await outbox.drain(to: server)
        #expect(server.effects.keys.sorted() == ["canary-bob", "canary-nobody"])
        // A later login with the same name stores and sends like any other.
        try await outbox.switchOwner(to: "alice")
        try await put(outbox, "again", of: "alice")
        try await outbox.drain(to: server)
        #expect(server.effects["again"] == 1)
    }

    @Test("running entries have ended when it returns, and do not come back")
    func inFlight() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await put(outbox, "1", of: "alice")
        let (begun, began) = AsyncStream<Void>.makeStream()
        let delivery = Task {
            try await outbox.deliver(until: nil, stopsWhenDone: false) { _ in
                began.yield()
                // Until it is cancelled.
                try await LoopbackGate().wait()
                throw CancellationError()
            }
        }
        for await _ in begun { break }
        try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        let state = await outbox.state
        #expect(state.sending == 0 && state.waiting == 0 && state.deadLetters.isEmpty)
        delivery.cancel()
        _ = await delivery.result
    }

    @Test("a user whose name is not stable has no entries here", arguments: [true, false])
    func nobody(isAnonymous: Bool) async throws {
        let outbox = Outbox.test(files, time: time)
        try await put(outbox, "1", of: nil)
        let session = Partition.Session(of: isAnonymous ? .anonymous : Partition("x", isStable: false))
        let calls = files.calls
        try await outbox.removeData(of: session)
        #expect(await outbox.state.waiting == 1 && files.calls == calls)
    }

    @Test("an unwritable disk is reported, and the user's entries are removed afterwards")
    func brokenDisk() async throws {
        let outbox = Outbox.test(files, time: time, owner: "alice")
        try await put(outbox, "1", of: "alice")
        files.fail { operation, _ in operation == .write || operation == .sync ? EIO : nil }
        await #expect(throws: OutboxError.self) {
            try await outbox.removeData(of: Partition.Session(of: Partition("alice")))
        }
        files.fail { _, _ in nil }
        let server = TestServer()
        try await outbox.drain(to: server)
        #expect(server.effects == ["1": 1])
    }
}
