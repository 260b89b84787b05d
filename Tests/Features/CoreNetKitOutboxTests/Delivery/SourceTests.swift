import CoreNetKitHTTP
import CoreNetKitSystem
import FileModel
import Foundation
import TestPace
import Testing

@testable import CoreNetKitOutbox

@Suite("Network conditions", .timeLimit(.minutes(10)), .paced)
struct SourceTests {
    private let files = ModelFiles()
    private let time = TestTime()
    private let server = TestServer()

    private func outbox(_ source: (any OutboxConditionSource)?) -> Outbox {
        Outbox.test(files, time: time) { $0.conditions = source }
    }

    @Test("a request waits for its condition, as does its queue behind it, and the state names the condition")
    func waits() async throws {
        let conditions = ManualConditions([.connected])
        let outbox = outbox(conditions)
        try await outbox.put("photo", in: "album", when: [.unmetered, .connected])
        try await outbox.put("second photo", in: "album")
        try await outbox.put("text", in: "chat", when: [.connected])
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.body) == ["text"])
        #expect(await outbox.state.queues.map(\.pause) == ["waits for unmetered"])
        conditions.set(.unmetered, true)
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.body) == ["text", "photo", "second photo"])
    }

    @Test("a condition that comes true is acted on at once by a running delivery")
    func wakes() async throws {
        let conditions = ManualConditions()
        let outbox = outbox(conditions)
        let receipt = try await outbox.put("photo", when: [.unmetered])
        let run = Task { [server] in
            try await outbox.deliver(until: nil, stopsWhenDone: false) { try await server.send($0) }
        }
        conditions.set(.unmetered, true)
        #expect(try await receipt.delivery().response.status == 201)
        conditions.set(.unmetered, false)
        run.cancel()
        try await run.value
    }

    @Test("an unknown condition is refused, and nothing is stored; a connection can always be tried")
    func refused() async throws {
        for source in [nil, ManualConditions(known: [.connected])] {
            let outbox = Outbox.test(files, time: time) { $0.conditions = source }
            let error = await #expect(throws: OutboxError.self) { try await outbox.put("a", when: [.unmetered]) }
            #expect(error?.code == .unknownCondition)
            #expect(error?.message.contains("unmetered") == true)
            #expect(await outbox.state.waiting == 0)
            await outbox.suspend()
        }
        let outbox = outbox(nil)
        try await outbox.put("a", when: [.connected])
        try await outbox.drain(to: server)
        #expect(server.requests.map(\.body) == ["a"])
    }

    @Test("names are checked", arguments: ["", "two words", "line\n", String(repeating: "x", count: 256)])
    func names(name: String) async throws {
        let outbox = outbox(ManualConditions(known: [.named(name)]))
        let error = await #expect(throws: OutboxError.self) { try await outbox.put("a", when: [.named(name)]) }
        #expect(error?.code == .invalidOption)
    }

    @Test("a condition outlives the process; if it is no longer reported it waits, and the state says so")
    func restart() async throws {
        let outbox = outbox(ManualConditions(known: [.named("charging")]))
        try await outbox.put("a", when: [.named("charging")])
        let second = Outbox.test(files.afterKill(), time: time)
        try await second.drain(to: server)
        #expect(server.requests.isEmpty)
        #expect(await second.state.queues.map(\.pause) == ["waits for charging, of which nobody here tells"])
        let third = Outbox.test(files.afterKill(), time: time) { options in
            options.conditions = ManualConditions([.named("charging")], known: [.named("charging")])
        }
        try await third.drain(to: server)
        #expect(server.requests.map(\.body) == ["a"])
    }

    @Test("a request expires while it waits for a condition")
    func expires() async throws {
        let outbox = outbox(ManualConditions())
        let receipt = try await outbox.put("a", expires: .seconds(60), when: [.unmetered])
        time.advance(by: .seconds(61))
        try await outbox.drain(to: server)
        #expect(server.requests.isEmpty)
        #expect(await outbox.state.reports == [.expired(receipt.id)])
    }

    @Test("a source that ends without a value says that nothing holds; its last value stays", arguments: [false, true])
    func ends(speaks: Bool) async throws {
        struct Source: OutboxConditionSource {
            let speaks: Bool
            let known: Set<OutboxCondition> = [.unmetered]
            func holding() -> AsyncStream<Set<OutboxCondition>> {
                AsyncStream { continuation in
                    if speaks { continuation.yield([.unmetered]) }
                    continuation.finish()
                }
            }
        }
        let outbox = outbox(Source(speaks: speaks))
        try await outbox.put("a", when: [.unmetered])
        try await outbox.drain(to: server)
        #expect(server.requests.count == (speaks ? 1 : 0))
    }

    @Test("a stream of conditions begins with the current ones, and skips unread ones")
    func stream() async {
        let conditions = ManualConditions([.connected])
        var stream = conditions.holding().makeAsyncIterator()
        #expect(await stream.next() == [.connected])
        conditions.set(.unmetered, true)
        conditions.set(.connected, false)
        #expect(await stream.next() == [.unmetered])
    }
}
