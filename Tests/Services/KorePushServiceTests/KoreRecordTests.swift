import CoreNetKit
import TestPace
import Testing

@testable import KorePushService

@Suite("The record of a user's device at Kore", .timeLimit(.minutes(10)), .paced)
struct KoreRecordTests {
    private let reply = KoreReply(message: nil)

    @Test("only the change that was sent ends: a later one for the same token stays pending", arguments: [true, false])
    func revisions(isSubscription: Bool) throws {
        var record = KoreRecord(stored: nil, optOut: nil)
        record.want("a1")
        if !isSubscription {
            record.confirm(try #require(record.request(.add)), reply)
            record.leave("a1")
        }
        let part: KoreRecord.Part = isSubscription ? .add : .remove("a1")
        let sent = try #require(record.request(part))
        // Another instance or process does and undoes it meanwhile.
        if isSubscription {
            record.leave("a1")
            record.want("a1")
        } else {
            record.want("a1")
            record.leave("a1")
        }
        record.confirm(sent, reply)
        #expect(record.openParts == [part])
        // So it is after a restart.
        record = KoreRecord(stored: record.json, optOut: record.optOut)
        record.confirm(sent, reply)
        #expect(record.openParts == [part])
        record.confirm(try #require(record.request(part)), reply)
        #expect(record.openParts.isEmpty)
    }

    @Test("data of older versions is read, sent and confirmed")
    func older() throws {
        var record = KoreRecord(stored: ["token": "b2", "isSubscribed": true, "leaving": ["a1"]], optOut: "a1")
        #expect(record.openParts == [.remove("a1")])
        record.confirm(try #require(record.request(.remove("a1"))), reply)
        #expect(record.openParts.isEmpty && record.token == "b2")
        record.leaveAll()
        record.confirm(try #require(record.request(.remove("b2"))), reply)
        #expect(record.json == [:])
    }
}
