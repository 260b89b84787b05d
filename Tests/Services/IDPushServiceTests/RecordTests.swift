import CoreNetKitJson
import TestSupport

@testable import IDPushService

@Suite("The record of a device at IDPush", .paced)
struct RecordTests {
    private let configuration = IDPushConfiguration(projectID: "p")

    private func registered() -> IDPushRecord {
        var record = IDPushRecord(installationID: "s")
        record.apply(.addDevice(token: "t1"), configuration)
        record.confirm((.addDevice(token: "t1"), nil, ["identifier": "t1"], "key"), IDPushReply(playerID: "id"))
        return record
    }

    @Test("a confirmed part has no request any more, even if its content would be the same")
    func confirmedPart() {
        var record = registered()
        record.setConsent(false)
        let before = record
        record.confirm((.unsubscribe, "id", ["notification_types": -2], "key"), IDPushReply(playerID: nil))
        #expect(before.isPending(.subscription) && !record.isPending(.subscription))
        record.bumpRevisions(since: before)
        #expect(record.revision(of: .subscription) == (before.revision(of: .subscription) ?? 0) + 1)
        #expect(record.revision(of: .tags) == before.revision(of: .tags))
    }

    @Test("impossible counts do not crash the process, and the opt-out stands", arguments: [Int.max, .min])
    func extremes(count: Int) {
        let revisions = Json(["choice": Json(count), "device": Json(count), "tags": Json(count)])
        let stored: Json = [
            "playerID": "p", "token": "t", "seed": "s", "isSubscribed": true, "choices": Json(count),
            "revisions": revisions,
        ]
        var record = IDPushRecord(stored: stored, optOut: nil)
        let before = record
        record.apply(.unsubscribe, configuration)
        record.apply(.setTags(tags: ["a": .string("1")]), configuration)
        record.bumpRevisions(since: before)
        #expect(record.isOptedOut)
        #expect(record.revision(of: .tags) != before.revision(of: .tags))
        let again = IDPushRecord(stored: record.json, optOut: record.optOut)
        #expect(again.isOptedOut)
    }

    // MARK: - Withdrawn consent

    @Test("gives up a waiting registration, tags and parameters without consent; the opt-out is sent")
    func open() {
        var record = registered()
        record.apply(.addDevice(token: "t2"), configuration)
        record.apply(.setTags(tags: ["a": .string("1")]), configuration)
        record.apply(.editDevice(parameters: ["b": .string("2")]), configuration)
        #expect(record.isPending(.device) && record.isPending(.tags) && record.isPending(.parameters))
        record.setConsent(false)
        #expect(!record.isPending(.device) && !record.isPending(.tags) && !record.isPending(.parameters))
        #expect(record.next(.device) == nil)
        #expect(record.next(.subscription) == .unsubscribe)
        record.setConsent(true)
        #expect(!record.isPending(.device))
        #expect(record.next(.subscription) == .subscribe)
    }

    @Test("gives up an unconfirmed registration without consent too, even before there is a device")
    func first() {
        var record = IDPushRecord(installationID: "s")
        record.apply(.addDevice(token: "t1"), configuration)
        #expect(record.isPending(.device))
        record.setConsent(false)
        #expect(!record.isPending(.device))
        record.setConsent(true)
        #expect(!record.isPending(.device))
    }

    @Test("keeps a confirmed registration without consent: its token is not given up")
    func confirmed() {
        var record = registered()
        record.setConsent(false)
        #expect(record.token == "t1")
        #expect(record.confirmedRegistration != nil)
    }
}
