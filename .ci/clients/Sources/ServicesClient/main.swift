import AlarmService
import CoreNetKit
import CoreNetKitLoopback
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import IDPushService
import KorePushService
import PushServersMock

// The services as an app outside of the package uses them: public API only.

func run() async throws {
    let server = try LoopbackServer()
    let idpush = IDPushServer(projects: ["p1"])
    let kore = KorePushServer(users: ["u-1": "token"])
    let alarms = AlarmServer()
    idpush.serve(on: server)
    kore.serve(on: server)
    alarms.serve(on: server)
    _ = alarms.insert(["scheme": "deeplinkTutorial://messages/7"])

    let push = try IDPush(
        IDPushConfiguration(projectID: "p1", baseURL: server.url("/api/v1/")),
        store: InMemoryStore()
    )
    _ = try await push.addDevice(token: Data([1, 2, 3, 4]))
    let subscriber = try KorePush(
        session: KoreSession(userID: "u-1", accessToken: "token"),
        configuration: KoreConfiguration(server: server.url),
        store: InMemoryStore()
    )
    try await subscriber.subscribe(KoreDeviceToken(data: Data([1, 2, 3, 4])))
    let parser = DeeplinkType.parser()
    let list = AlarmList(client: AlarmClient(base: server.url("/api/v1"))) { try parser.parse(.text($0)) }
    let snapshot = try await list.refresh() as AlarmSnapshot
    let opened = try list.open(snapshot.alarms[0].sequence)
    _ = try await opened.read.value

    guard push.playerID != nil, kore.devices(of: "u-1") == ["01020304"], opened.link == .messages(.details(id: "7")),
        alarms.unreadCount == 0
    else {
        print("not as expected")
        exit(1)
    }
    print("ok")
}

try await run()
