import IDPushService
import PushServersMock
import TestSupport

@Suite("IDPush on the wire", .timeLimit(.minutes(10)), .paced)
struct WireTests {
    enum Choice: CaseIterable, Sendable { case none, subscribed, optedOut }

    static let environments: [(PushEnvironment, String)] = [
        (.development, "&test_type=1"), (.adHoc, "&test_type=2"), (.production, "&test_type=2"),
        (.custom(testType: nil), ""), (.custom(testType: 7), "&test_type=7"),
    ]

    @Test("a request is the document's, whatever environment and choice", arguments: environments, Choice.allCases)
    func requests(_ environment: (sent: PushEnvironment, testType: String), choice: Choice) async throws {
        let idPush = IDPushServer(projects: ["p1"])
        let server = try LoopbackServer()
        idPush.serve(on: server)
        let push = try IDPush(
            IDPushConfiguration(
                projectID: " p1\n",
                environment: environment.sent,
                baseURL: server.url("/api/v1/"),
                device: Rig.device
            ),
            store: InMemoryStore()
        )
        _ = try await push.addDevice(token: Data([0xA1, 0xB2]))
        switch choice {
        case .none: break
        case .subscribed: _ = try await push.subscribe()
        case .optedOut: _ = try await push.unsubscribe()
        }
        let types = choice == .optedOut ? "-2" : "1"
        // The new token is of a second device.
        let edit = "/api/v1/device/edit/\(Rig.secondID)"
        let id = "player_id=\(Rig.secondID)&project_id=p1"
        let table: [(IDPushAction, path: String, body: String)] = [
            (
                .addDevice(token: "<C3D4 e5f6>"), "/api/v1/device/add",
                "\(Rig.common)&identifier=c3d4e5f6&notification_types=\(types)&project_id=p1\(environment.testType)"
            ),
            (
                .setTags(tags: ["level": 5, "vip": true, "old": nil, "lang": "fa"]), edit,
                "\(Rig.common)&\(id)&tags=%7B%22lang%22%3A%22fa%22%2C%22level%22%3A5%2C%22old%22%3A%22%22%2C%22vip%22%3Atrue%7D"
            ),
            (
                .editDevice(parameters: ["language": "fa", "timezone": 12600, "beta": true]), edit,
                "beta=1&\(Rig.common)&language=fa&\(id)&timezone=12600"
            ),
            (.subscribe, edit, "\(Rig.common)&notification_types=1&\(id)"),
            (.unsubscribe, edit, "\(Rig.common)&notification_types=-2&\(id)"),
        ]
        for (action, path, body) in table {
            _ = try await push.perform(action)
            let request = try #require(server.requests.last)
            #expect(request.method == .post)
            #expect(request.path == path)
            #expect(request.text == body)
            #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request.headers["Accept"] == "application/json")
            #expect(request.headers["Idempotency-Key"]?.isEmpty == false)
            #expect(request.query.isEmpty)
        }
        server.stop()
    }

    @Test("tags and registrations never undo an opt-out")
    func optOut() async throws {
        let (rig, push) = try await Rig.registered()
        _ = try await push.unsubscribe()
        _ = try await push.setTags(["a": 1])
        _ = try await push.perform(.addDevice(token: Rig.other))
        #expect(push.isOptedOut)
        #expect(rig.server.devices.allSatisfy { $0.notificationTypes == -2 })
        #expect(rig.mock.requests.dropFirst().allSatisfy { !$0.text.contains("notification_types=1") })
        let restarted = try rig.service()
        #expect(restarted.isOptedOut)
        _ = try await restarted.subscribe()
        #expect(!restarted.isOptedOut)
        #expect(rig.server.devices.last?.notificationTypes == 1)
    }
}
