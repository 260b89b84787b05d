import CoreNetKitJson
import TestPace
import Testing

@testable import IDPushService

@Suite("IDPush: counts in a stored record", .paced)
struct StoredCountTests {
    @Test(
        "impossible counts do not crash the process, and the opt-out stands",
        arguments: [Int.max, .min]
    )
    func extremes(count: Int) {
        let revisions = Json(["choice": Json(count), "device": Json(count), "tags": Json(count)])
        let stored: Json = [
            "playerID": "p", "token": "t", "seed": "s", "isSubscribed": true, "choices": Json(count),
            "revisions": revisions,
        ]
        var record = IDPushRecord(stored: stored, optOut: nil)
        let before = record
        let configuration = IDPushConfiguration(projectID: "p")
        record.want(.unsubscribe, configuration)
        record.want(.setTags(tags: ["a": .string("1")]), configuration)
        record.count(changesSince: before)
        #expect(record.isOptedOut)
        #expect(record.revision(of: .tags) != before.revision(of: .tags))
        let again = IDPushRecord(stored: record.json, optOut: record.optOut)
        #expect(again.isOptedOut)
    }
}
