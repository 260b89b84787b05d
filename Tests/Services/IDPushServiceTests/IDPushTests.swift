import IDPushService
import PushServersMock
import TestSupport

@Suite("IDPush", .timeLimit(.minutes(10)), .paced)
struct IDPushTests {
    @Test("a registration returns the player id and stores it where the original looks for it")
    func registers() async throws {
        let rig = Rig()
        let push = try rig.service()
        #expect(push.playerID == nil)
        let reply = try await push.addDevice(PushToken(Data([0xA1, 0xB2])))
        #expect(reply == IDPushReply(playerID: Rig.firstID))
        #expect(push.playerID == Rig.firstID)
        #expect(try rig.store.string(for: "IDPush_PreviousPlayerID") == Rig.firstID)
        #expect(try rig.service().playerID == Rig.firstID)
    }

    @Test("an invalid action fails later, once, and sends nothing")
    func invalidActions() async throws {
        let rig = Rig()
        let observer: Observer<IDPushReply> = try rig.service().subscribe()
        let recorder = ObserverRecorder().listen(to: observer.dispatchOn(.global()))
        #expect(await recorder.allEvents() == ["\(IDPushError.missingPlayerID)", "defer"])
        #expect(rig.mock.requests.isEmpty)
    }

    @Test("the same registration is not sent again, another one is")
    func acknowledged() async throws {
        let (rig, push) = try await Rig.registered()
        let reply = try await push.perform(.addDevice(token: "A1B2 C3D4 E5F6 0718"))
        #expect(reply.playerID == Rig.firstID)
        _ = try await rig.service().perform(.addDevice(token: Rig.token))
        #expect(rig.mock.requests.count == 1)
        _ = try await push.perform(.addDevice(token: Rig.other))
        #expect(rig.mock.requests.count == 2)
    }

    @Test("only changed tags are sent, none when all are confirmed")
    func tags() async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.setTags(["lang": "fa", "vip": true, "old": nil])
        _ = try await push.setTags(["lang": "fa", "vip": false, "old": nil])
        _ = try await push.setTags(["vip": false])
        #expect(
            rig.server.exchanges.compactMap { $0.form["tags"] } == [
                #"{"lang":"fa","old":"","vip":true}"#, #"{"vip":false}"#,
            ]
        )
        #expect(push.tags == ["lang": "fa", "vip": false])
        #expect(rig.server.devices.first?.tags == ["lang": "fa", "vip": "false"])
        #expect(try rig.service().tags == push.tags)
    }

    @Test("what a failed call requested is sent once, after a restart")
    func pending() async throws {
        let (rig, push) = try await Rig.registered()
        rig.server.fail(.reset)
        await #expect(throws: IDPushError.self) { try await push.unsubscribe() }
        #expect(push.isOptedOut && push.hasPending)

        let restarted = try rig.service()
        #expect(restarted.isOptedOut && restarted.hasPending)
        try await restarted.flush()
        try await restarted.flush()
        #expect(!restarted.hasPending)
        #expect(rig.server.devices.first?.notificationTypes == -2)
        #expect(rig.mock.requests.count == 3)
    }
}
