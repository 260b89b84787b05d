import TestPace
import Testing

@testable import IDPushService

@Suite("IDPush: which requests differ from before", .paced)
struct RevisionTests {
    private let configuration = IDPushConfiguration(projectID: "p")

    @Test("a confirmed part has no request any more, even if its content would be the same")
    func confirmed() {
        var record = IDPushRecord(seed: "s")
        record.want(.addDevice(token: "t1"), configuration)
        record.confirm(.addDevice(token: "t1"), sent: ["identifier": "t1"], id: "id")
        record.setConsent(false)
        let before = record
        record.confirm(.unsubscribe, sent: ["notification_types": -2], id: nil)
        #expect(before.isOpen(.choice) && !record.isOpen(.choice))
        record.count(changesSince: before)
        #expect(record.revision(of: .choice) == (before.revision(of: .choice) ?? 0) + 1)
        #expect(record.revision(of: .tags) == before.revision(of: .tags))
    }
}
