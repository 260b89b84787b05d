import CoreNetKit
import Foundation
import IDPushService
import PushRegistration
import PushServersMock
import TestPace
import TestSupport
import Testing

@Suite("What version 0.2 has stored of a device at IDPush", .timeLimit(.minutes(10)), .paced)
struct EarlierStoreTests {
    private let fixture: Fixture

    init() throws { fixture = try Fixture("idpush") }

    /// The rig with a server that knows the device.
    private static func rig(_ file: URL) async throws -> Rig {
        let (rig, file) = (Rig(), FileStore(file: file))
        _ = try await rig.registered()
        var same = rig
        same.store = file
        return same
    }

    @Test("is read, sent where the network was away, and continued")
    func continues() async throws {
        let rig = try await Self.rig(fixture["store.json"])
        let push = try rig.service()
        #expect(push.playerID == Rig.firstID)
        #expect(push.hasPending && push.isOptedOut)
        try await push.flush()
        let device = try #require(rig.server.devices.first)
        #expect(device.notificationTypes == -2)
        #expect(device.tags == ["b": "2"])
        #expect(rig.server.devices.count == 1)
        _ = try await push.setTags(["c": 3])
        let next = try rig.service()
        #expect(next.playerID == Rig.firstID && !next.hasPending && next.isOptedOut)
        #expect(rig.server.devices.first?.tags["c"] == "3")
    }
}
