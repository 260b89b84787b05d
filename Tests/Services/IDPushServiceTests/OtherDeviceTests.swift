import IDPushService
import PushServersMock
import TestSupport

@Suite("IDPush: a device that replaces another", .timeLimit(.minutes(10)), .paced)
struct OtherDeviceTests {
    @Test("what was sent for a device is sent for its successor", arguments: ["new token", "forgotten"])
    func parametersFollow(change: String) async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.editDevice(["language": "fa", "external_user_id": "u-1", "country": "IR"])
        _ = try await push.editDevice(["country": nil])
        if change == "forgotten" {
            rig.server.forget(Rig.firstID)
            _ = await Rig.failure { _ = try await push.setTags(["a": 1]) }
            try await rig.service().flush()
        } else {
            _ = try await rig.service().perform(.addDevice(token: Rig.other))
        }
        let device = rig.server.devices.last
        #expect(device?.playerID != Rig.firstID)
        #expect(device?.parameters["language"] == "fa")
        #expect(device?.parameters["external_user_id"] == "u-1")
        #expect(try !rig.service().hasPending)
        let requests = rig.server.exchanges.count
        try await rig.service().flush()
        #expect(rig.server.exchanges.count == requests)
    }

    @Test("the device's former user is not sent for the successor once the user has left")
    func parametersOfUser() async throws {
        let (rig, push) = try await Rig.registered()
        let identity = PushIdentity(store: rig.store, members: [push])
        try await identity.login("alice").value
        _ = try await push.editDevice(["language": "fa", "external_user_id": "alice"])
        try await identity.logout().value
        #expect(rig.server.devices.first?.parameters["external_user_id"]?.isEmpty ?? true)
        _ = try await push.perform(.addDevice(token: Rig.other))
        let device = rig.server.devices.last
        #expect(device?.parameters["language"] == "fa")
        #expect(device?.parameters["external_user_id"]?.isEmpty ?? true)
    }

    @Test("a new token gets the tags at once, and a removed one stays away when an earlier token comes back")
    func removedTag() async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.setTags(["level": 5, "old": 1])
        #expect(try await push.perform(.addDevice(token: Rig.other)).playerID == Rig.secondID)
        #expect(!push.hasPending && rig.server.devices.last?.tags == ["level": "5", "old": "1"])
        _ = try await push.setTags(["old": nil])
        _ = try await push.perform(.addDevice(token: Rig.token))
        #expect(push.playerID == Rig.firstID)
        #expect(rig.server.devices.map(\.tags) == [["level": "5"], ["level": "5"]])
        #expect(!push.hasPending)
    }

    @Test("an action that fails before anything is sent is in the log")
    func unsentLog() async throws {
        let sink = RecordingSink()
        let push = try Rig.service(Client(transport: MockTransport()).log(to: sink))
        #expect(await Rig.failure { _ = try await push.setTags(["a": 1]) } == .missingPlayerID)
        #expect("\(try await sink.waitForLogTrees(1)[0])".contains("\(IDPushError.missingPlayerID)"))
    }
}
