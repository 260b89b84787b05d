import AlarmService
import CoreNetKit
import CoreNetKitCache
import CoreNetKitLoopback
import CoreNetKitOutbox
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import IDPushService
import KorePushService
import OpenReports
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

    // The same on an outbox, by public API alone: offline, a restart, delivery.
    let folder = URL(fileURLWithPath: NSTemporaryDirectory() + "/services-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try Outbox(at: folder)
    let client = Client().set(partition: Partition("u-1")).cache(ResponseCache()).outbox(outbox)
    let store = InMemoryStore()
    let configuration = IDPushConfiguration(projectID: "p1", baseURL: server.url("/api/v1/"))
    let durable = try IDPush(configuration, store: store, client: client, outbox: outbox)
    _ = try await durable.addDevice(token: Data([5, 6, 7, 8]))
    idpush.fail(.status(503))
    let offline = try IDPush(configuration, store: store, client: client.without(.retry), outbox: outbox)
    _ = try? await offline.unsubscribe()
    let alarmClient = AlarmClient(base: server.url("/api/v1"), builder: UrlChainsBuilder(client: client))
    let durableList = AlarmList(client: alarmClient, outbox: outbox) { try parser.parse(.text($0)) }
    let reports = OpenReports(to: server.url("/opens"), client: client)
    server.on(.post, "/opens", .status(204))
    _ = alarms.insert(["type": "F02"])
    let newest = try await durableList.refresh() as AlarmSnapshot
    let tap: Observer<AlarmActionResult> = durableList.markRead(newest.alarms[0].sequence)
    reports.report(newest.alarms[0])
    await reports.stored()
    let state = try await outbox.drain(until: Date(timeIntervalSinceNow: 30), with: client)
    _ = try await tap.value

    guard push.playerID != nil, idpush.devices.last?.notificationTypes == -2, state.waiting == 0,
        server.requests.contains(where: { $0.path == "/opens" }), kore.devices(of: "u-1") == ["01020304"],
        opened.link == .messages(.details(id: "7")),
        alarms.unreadCount == 0
    else {
        print("not as expected")
        exit(1)
    }
    print("ok")
}

try await run()
