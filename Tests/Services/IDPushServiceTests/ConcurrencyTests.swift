import IDPushService
import PushServersMock
import TestSupport

@Suite("IDPush, concurrent callers", .timeLimit(.minutes(10)), .paced)
struct ConcurrencyTests {
    @Test("the same token from many callers is one request, and all get its outcome", arguments: [true, false])
    func oneRegistration(_ isFine: Bool) async throws {
        let rig = Rig()
        let push = try rig.service()
        rig.gate.close()
        if !isFine { rig.server.fail(.reset) }
        let calls: [Observer<IDPushReply>] = (0..<20).map { _ in observed(push, .addDevice(token: Rig.token)) }
        _ = try await rig.mock.waitForRequests(1)
        let late: [Observer<IDPushReply>] = (0..<20).map { _ in observed(push, .addDevice(token: Rig.token)) }
        rig.gate.open()
        for call in calls + late {
            var id: String?
            let failure = await Rig.failure { id = try await call.value.playerID }
            #expect(isFine ? id == Rig.firstID : failure != nil)
        }
        #expect(rig.mock.requests.count == 1)
    }

    @Test("fast toggles end with the last one")
    func toggles() async throws {
        let (rig, push) = try await Rig.registered()
        rig.gate.close()
        let first = observed(push, .unsubscribe)
        _ = try await rig.mock.waitForRequests(2)
        let others = [IDPushAction.subscribe, .unsubscribe, .subscribe, .unsubscribe, .subscribe]
            .map { observed(push, $0) }
        rig.gate.open()
        for call in [first] + others { _ = try await call.value }
        #expect(!push.isOptedOut && !push.hasPending)
        #expect(rig.server.devices.first?.notificationTypes == 1)
        #expect(rig.server.exchanges.map { $0.form["notification_types"] } == ["1", "-2", "1"])
    }

    @Test("tags of many callers are combined, the last value of a key counts")
    func tags() async throws {
        let (rig, push) = try await Rig.registered()
        rig.gate.close()
        let first = observed(push, .setTags(tags: ["n": 0]))
        _ = try await rig.mock.waitForRequests(2)
        let others = (1...9).map { observed(push, .setTags(tags: ["n": .int($0), "k\($0)": true])) }
        rig.gate.open()
        for call in [first] + others { _ = try await call.value }
        #expect(rig.server.devices.first?.tags["n"] == "9")
        #expect(rig.server.devices.first?.tags.count == 10)
        #expect(rig.mock.requests.count == 3)
    }

    @Test("a cancelled call ends on the wire or in the queue; its change stays for the next flush")
    func cancellation() async throws {
        let (rig, push) = try await Rig.registered()
        rig.gate.close()
        let sent = observed(push, .unsubscribe)
        _ = try await rig.mock.waitForRequests(2)
        let waiting = observed(push, .setTags(tags: ["a": 1]))
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        sent.cancel()
        _ = try await rig.mock.waitForCancellation()
        await #expect(throws: CancellationError.self) { try await sent.value }
        rig.gate.open()
        #expect(push.isOptedOut && push.hasPending)
        try await push.flush()
        #expect(!push.hasPending)
        #expect(rig.server.devices.first?.notificationTypes == -2)
        #expect(rig.server.devices.first?.tags == ["a": "1"])
    }

    @Test("any mix of callers leaves server and service agreeing")
    func stress() async throws {
        let (rig, push) = try await Rig.registered()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<60 {
                group.addTask {
                    switch index % 4 {
                    case 0: _ = try await push.perform(.addDevice(token: Rig.token))
                    case 1: _ = try await push.perform(index % 8 == 1 ? .subscribe : .unsubscribe)
                    case 2: _ = try await push.setTags(["t\(index % 5)": .int(index)])
                    default: _ = try await push.editDevice(["p": .int(index)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let device = try #require(rig.server.devices.first)
        #expect(rig.server.devices.count == 1)
        #expect(!push.hasPending)
        #expect(device.notificationTypes == (push.isOptedOut ? -2 : 1))
        #expect(device.tags == push.tags.mapValues { if case .int(let number) = $0 { "\(number)" } else { "" } })
    }

    private func observed(_ push: IDPush, _ action: IDPushAction) -> Observer<IDPushReply> { push.perform(action) }
}
