import IDPushService
import IDPushServiceDocumentNames
import PushServersMock
import TestSupport

/// The names of document 000, the user's specification; serialized, because its class is one for the process.
@Suite("Document 000, as printed", .serialized, .timeLimit(.minutes(10)), .paced)
struct Document000Tests {
    @Test("an action says what it needs before Setup, and after a Setup with a blank project id")
    func notConfigured() async throws {
        IDPush.Setup(projectID: "  \n")
        #expect(!IDPush.IsConfigured)
        #expect(IDPush.ProjectID == "")
        #expect(throws: IDPushConfigureError.notConfigured) { try IDPushAction.subscribe.validateBeforePerform() }
        #expect(await Rig.failure { _ = try await IDPush.perform(.subscribe) } == .notConfigured)
        let observed: Observer<IDPushReply> = IDPush.perform(.subscribe)
        await #expect(throws: IDPushError.notConfigured) { try await observed.value }
        #expect(IDPushAction.subscribe.getParameters().isEmpty)

        // As in the document: kept before Setup, and found after it.
        let defaults = UserDefaultsStore()
        let before = try defaults.string(for: IDPush.kUserDefaults_PreviousPlayerID)
        IDPush.StorePlayerID(playerID: " ")
        IDPush.StorePlayerID(playerID: "kept-before-setup ")
        #expect(IDPush.GetPlayerID() == "kept-before-setup")
        try defaults.set(before, for: IDPush.kUserDefaults_PreviousPlayerID)

        IDPush.Setup(projectID: "  5f0a1\n")
        #expect(IDPush.IsConfigured)
        #expect(IDPush.ProjectID == "5f0a1")
        #expect(IDPushAction.addDevice(token: "ab").getURL().absoluteString == "https://idpush.top/api/v1/device/add")
        // A blank one does not undo it.
        IDPush.Setup(projectID: "")
        #expect(IDPush.ProjectID == "5f0a1")
    }

    @Test("the five actions give the document's parameters and addresses")
    func actions() async throws {
        let rig = Rig()
        try IDPush.setup(try rig.service().configuration, store: rig.store, client: Client(transport: rig.mock))
        #expect(IDPush.GetPlayerID() == nil)
        #expect(throws: IDPushActionError.missingPlayerID) { try IDPushAction.subscribe.validateBeforePerform() }
        #expect(throws: IDPushActionError.missingDeviceToken) {
            try IDPushAction.addDevice(token: " ").validateBeforePerform()
        }
        #expect(IDPushAction.subscribe.getURL().absoluteString == "http://127.0.0.1/api/v1/device/edit/")

        _ = try await IDPush.perform(.addDevice(token: Rig.token))
        #expect(IDPush.GetPlayerID() == Rig.firstID)
        #expect(IDPush.PlayerID == Rig.firstID)

        let common = [
            "project_id": "String p1", "device_type": "Int 0", "game_version": "String 1.4",
            "device_model": "String iPhone15,2", "device_os": "String 17.5",
        ]
        let id = ["player_id": "String \(Rig.firstID)"]
        let table: [(IDPushAction, [String: String])] = [
            (
                .addDevice(token: "ab"),
                ["identifier": "String ab", "notification_types": "Int 1", "test_type": "Int 1"]
            ),
            (.subscribe, id.with(["notification_types": "Int 1"])),
            (.unsubscribe, id.with(["notification_types": "Int -2"])),
            // The document sends notification_types = 1 here, which undoes an opt-out.
            (.setTags(tags: ["level": 5, "vip": true]), id.with(["tags": #"String {"level":5,"vip":true}"#])),
            (.editDevice(parameters: ["language": "fa"]), id.with(["language": "String fa"])),
        ]
        for (action, own) in table {
            #expect(action.getParameters().mapValues { "\(type(of: $0)) \($0)" } == common.with(own))
            let isAdding = action == .addDevice(token: "ab")
            let path = isAdding ? IDPush.Routes.addDevice : IDPush.Routes.editDevice + Rig.firstID
            #expect(action.getURL().absoluteString == "http://127.0.0.1/api/v1/" + path)
            do { try action.validateBeforePerform() } catch { Issue.record("\(error)") }
        }
    }

    @Test("a stored player id is kept under the document's key")
    func storing() throws {
        let rig = Rig()
        try IDPush.setup(try rig.service().configuration, store: rig.store, client: Client(transport: rig.mock))
        IDPush.StorePlayerID(playerID: " ")
        #expect(IDPush.GetPlayerID() == nil)
        IDPush.StorePlayerID(playerID: "abc")
        #expect(try rig.store.string(for: IDPush.kUserDefaults_PreviousPlayerID) == "abc")
        #expect(IDPush.kUserDefaults_PreviousPlayerID == "IDPush_PreviousPlayerID")
        #expect(IDPush.BaseURL == "https://idpush.top/api/v1/")
        #expect(IDPush.getPlayerID() == "abc")
    }
}

extension [String: String] {
    fileprivate func with(_ others: Self) -> Self { merging(others) { _, last in last } }
}
