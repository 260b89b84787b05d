import TestPace
import Testing

@testable import IDPushService

@Suite("IDPush: what a withdrawn consent leaves in the record", .paced)
struct ConsentRecordTests {
    private let configuration = IDPushConfiguration(projectID: "p")

    /// Of a device that is registered, and has something of each part open.
    private func waiting() -> IDPushRecord {
        var record = IDPushRecord(seed: "s")
        record.want(.addDevice(token: "t1"), configuration)
        record.confirm(.addDevice(token: "t1"), sent: ["identifier": "t1"], id: "id")
        record.want(.addDevice(token: "t2"), configuration)
        record.want(.setTags(tags: ["a": .string("1")]), configuration)
        record.want(.editDevice(parameters: ["b": .string("2")]), configuration)
        return record
    }

    @Test("a waiting registration, tags and parameters are given up; the opt-out is sent")
    func open() {
        var record = waiting()
        #expect(record.isOpen(.device) && record.isOpen(.tags) && record.isOpen(.parameters))
        record.setConsent(false)
        #expect(!record.isOpen(.device) && !record.isOpen(.tags) && !record.isOpen(.parameters))
        #expect(record.next(.device) == nil)
        #expect(record.next(.choice) == .unsubscribe)
        record.setConsent(true)
        #expect(!record.isOpen(.device))
        #expect(record.next(.choice) == .subscribe)
    }

    @Test("an unconfirmed registration is given up too, even before there is a device")
    func first() {
        var record = IDPushRecord(seed: "s")
        record.want(.addDevice(token: "t1"), configuration)
        #expect(record.isOpen(.device))
        record.setConsent(false)
        #expect(!record.isOpen(.device))
        record.setConsent(true)
        #expect(!record.isOpen(.device))
    }

    @Test("a confirmed registration stays: its token is not given up")
    func confirmed() {
        var record = IDPushRecord(seed: "s")
        record.want(.addDevice(token: "t1"), configuration)
        record.confirm(.addDevice(token: "t1"), sent: ["identifier": "t1"], id: "id")
        record.setConsent(false)
        #expect(record.token == "t1")
        #expect(record.confirmed != nil)
    }
}
