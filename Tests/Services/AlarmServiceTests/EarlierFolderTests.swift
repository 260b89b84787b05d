import AlarmService
import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem
import FileModel
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("Taps on alarms that version 0.2 has stored", .timeLimit(.minutes(10)), .paced)
struct EarlierFolderTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("alarms") }

    @Test("are shown, sent in their order, and followed by new ones")
    func continues() async throws {
        let phone = AlarmPhone(4)
        let files = ModelFiles()
        try files.makeFolder("/box")
        for name in try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path) {
            try files.replace("/box/\(name)", with: Array(fixture.data(name)), draft: "draft")
        }
        phone.files = files
        let app = phone.launch(at: .seconds(60))
        let list = app.list()
        try await list.refresh()
        #expect(list.snapshot.alarms.map(\.sequence) == [4, 2, 1])
        #expect(list.snapshot.alarms.map(\.isReading) == [false, true, false])
        let tap: Observer<AlarmActionResult> = list.markRead(1)
        await app.waiting(3)
        await app.deliver()
        _ = try await tap.value
        #expect(phone.actions == ["alice read 2", "alice delete 3", "alice read 1"])
        #expect(await app.outbox.state.waiting == 0)
    }
}
