import PushRegistration
import PushServersMock
import TestSupport

@testable import KorePushService

@Suite("The record of a user's device at Kore", .timeLimit(.minutes(10)), .paced)
struct KoreRecordTests {
    private let reply = KoreReply(message: nil)

    @Test("only the change that was sent ends: a later one for the same token stays pending", arguments: [true, false])
    func revisions(isSubscription: Bool) throws {
        var record = KoreRecord(stored: nil, optOut: nil)
        record.subscribe("a1")
        if !isSubscription {
            record.confirm(try #require(record.request(.add)), reply)
            record.unsubscribe("a1")
        }
        let part: KoreRecord.Part = isSubscription ? .add : .remove("a1")
        let sent = try #require(record.request(part))
        // Another instance or process does and undoes it meanwhile.
        if isSubscription {
            record.unsubscribe("a1")
            record.subscribe("a1")
        } else {
            record.subscribe("a1")
            record.unsubscribe("a1")
        }
        record.confirm(sent, reply)
        #expect(record.pendingParts == [part])
        // So it is after a restart.
        record = KoreRecord(stored: record.json, optOut: record.optOut)
        record.confirm(sent, reply)
        #expect(record.pendingParts == [part])
        record.confirm(try #require(record.request(part)), reply)
        #expect(record.pendingParts.isEmpty)
    }

    @Test("data of older versions is read, sent and confirmed")
    func older() throws {
        var record = KoreRecord(stored: ["token": "b2", "isSubscribed": true, "leaving": ["a1"]], optOut: "a1")
        #expect(record.pendingParts == [.remove("a1")])
        record.confirm(try #require(record.request(.remove("a1"))), reply)
        #expect(record.pendingParts.isEmpty && record.token == "b2")
        record.unsubscribe()
        record.confirm(try #require(record.request(.remove("b2"))), reply)
        #expect(record.json == [:])
    }
}

@Suite("What version 0.2 has stored of a device at Kore", .timeLimit(.minutes(10)), .paced)
struct EarlierStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("kore") }

    private static func push(_ kore: KorePushServer, _ file: URL, user: String = "u-1") throws -> KorePush {
        try korePush(over: kore.transport(), FileStore(file: file), user: user, token: "of-\(user)")
    }

    @Test("is read, sent where the network was away, and continued")
    func continues() async throws {
        let kore = KorePushServer(users: ["u-1": "of-u-1", "u-2": "of-u-2"])
        let push = try Self.push(kore, fixture["store.json"])
        let state = try await push.state()
        #expect(state.token == .first && !state.isComplete)
        try await push.flush()
        #expect(kore.devices(of: "u-1") == [KoreDeviceToken.first.hex])
        #expect(try await push.state().isComplete)
        _ = try await push.subscribe(.second)
        _ = try await Self.push(kore, fixture["store.json"], user: "u-2").subscribe(.first)
        #expect(kore.devices(of: "u-1") == [KoreDeviceToken.second.hex])
        #expect(try await Self.push(kore, fixture["store.json"]).state().token == .second)
        #expect(try await Self.push(kore, fixture["store.json"], user: "u-2").state().token == .first)
    }
}
