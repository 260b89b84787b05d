import CoreNetKitHTTP
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@testable import CoreNetKitOutbox

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

    @Test(
        "is continued: dead letters are sent again, new entries stand behind the old ones, and the next process has both"
    )
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
