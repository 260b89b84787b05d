// The samples of the documents, the user's specifications, that need no view and no app delegate, as printed, in Swift 5 and
// 6 mode and with main-actor default isolation: the same file in three targets, each run against the mock servers.
import AlarmService
import AlarmServiceDocumentNames
import CoreNetKit
import CoreNetKitLoopback
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import IDPushService
import IDPushServiceDocumentNames
import KorePushService
import KorePushServiceDocumentNames
import PushServersMock

// Document 000: the checks of an action before it is performed.
func document000() throws {
    let token = "  "
    guard token.isTrimmedAndEmpty else { throw Failure(line: #line) }
    IDPush.Setup(projectID: "  \n")
    try expect(!IDPush.IsConfigured)
    try expect(IDPushAction.subscribe.getURL().absoluteString == IDPush.BaseURL + IDPush.Routes.editDevice)
    IDPush.Setup(projectID: "5f0a1")
    try expect(IDPush.ProjectID == "5f0a1")
    let tags: [String: Any] = ["level": 5, "nested": ["a": [1, 2]]]
    let parameters = IDPushAction.setTags(tags: tags).getParameters()
    try expect(parameters["tags"] as? String == #"{"level":5,"nested":{"a":[1,2]}}"#)
    try expect(parameters["project_id"] as? String == IDPush.ProjectID)
    let literal = IDPushAction.setTags(tags: ["level": 5, "vip": true, "nested": ["a": 1]])
    try expect(literal.getParameters()["device_type"] as? Int == 0)
    do {
        try IDPushAction.addDevice(token: token).validateBeforePerform()
        throw Failure(line: #line)
    } catch IDPushActionError.missingDeviceToken {}
}

// Document 000: the actions, performed.
func document000(_ server: LoopbackServer, _ push: IDPushServer) async throws {
    try IDPush.setup(
        IDPushConfiguration(projectID: "5f0a1", baseURL: server.url("/api/v1/")),
        store: InMemoryStore()
    )
    let reply = try await IDPush.perform(.addDevice(token: "a1b2c3d4"))
    try expect(IDPush.GetPlayerID() == reply.playerID && reply.playerID != nil)
    try expect(IDPushAction.subscribe.getURL().lastPathComponent == reply.playerID)
    let tags: [String: Any] = ["level": 5]
    _ = try await IDPush.perform(.setTags(tags: tags))
    _ = try await IDPush.perform(.unsubscribe)
    try expect(push.devices.map(\.tags) == [["level": "5"]])
    try expect(push.devices.map(\.notificationTypes) == [-2])
    _ = try await IDPush.perform(.subscribe)
    _ = try await IDPush.perform(.editDevice(parameters: ["language": "fa"]))
    try expect(push.devices.first?.isSubscribed == true)
    try expect(push.devices.first?.parameters["language"] == "fa")
    try expect(push.exchanges.count == 5)
}

// Document 001: the manager with its three sources.
@MainActor
func document001() throws {
    var titles: [String] = []
    DeeplinkNavigator.shared.open = { titles.append($0.title) }
    ShortcutParser.registerShortcuts(for: .guest)
    guard let url = URL(string: "deeplinkTutorial://messages/1") else { throw Failure(line: #line) }
    try expect(Deeplinker.handleDeeplink(url: url))
    Deeplinker.checkDeepLink()
    Deeplinker.handleRemoteNotification(["data": ["messageId": "2"]])
    Deeplinker.checkDeepLink()
    try expect(Deeplinker.handleShortcut(item: ShortcutItem(type: ShortcutKey.messages.rawValue, localizedTitle: "")))
    Deeplinker.checkDeepLink()
    Deeplinker.checkDeepLink()
    try expect(titles == ["Messages Details 1", "Messages Details 2", "Messages Root"])
    try expect(NotificationParser.shared.handleNotification(["data": ["requestId": "1"]]) == .request(id: "1"))
}

// Document 002: the app's own user and login, and its functions.
final class AppUser: UserModel {}
final class AppLogin: AuthInfoModel {}

@MainActor let requestManager = HTTPRequestManager()
@MainActor let botClient = BotClient(
    userInfoModel: AppUser(userId: "u-1"),
    authInfoModel: AppLogin(accessToken: "token", tokenType: "Bearer"),
    requestManager: requestManager
)

@MainActor
func document002(_ server: LoopbackServer, _ kore: KorePushServer) async throws {
    requestManager.configure(KoreConfiguration(server: server.url), store: InMemoryStore())
    let deviceToken = Data([0xA1, 0xB2])
    let subscribed = await withCheckedContinuation { continuation in
        botClient.subscribeToNotifications(
            deviceToken,
            success: { status in continuation.resume(returning: status) },
            failure: { error in
                print("Failed to subscribe: \(error?.localizedDescription ?? "")")
                continuation.resume(returning: false)
            }
        )
    }
    try expect(subscribed)
    try expect(kore.devices(of: "u-1") == [deviceToken.hexadecimal() ?? ""])
    let client = botClient
    let unsubscribed = await withCheckedContinuation { continuation in
        unsubscribeUser(deviceToken: deviceToken, botClient: client) { continuation.resume(returning: $0) }
    }
    try expect(unsubscribed)
    try expect(kore.devices(of: "u-1").isEmpty)
}

// As the document has it: a function that belongs to no actor.
nonisolated func unsubscribeUser(
    deviceToken: Data,
    botClient: BotClient,
    then: @escaping @MainActor @Sendable (Bool) -> Void
) {
    botClient.unsubscribeToNotifications(
        deviceToken,
        success: { _ in then(true) },
        failure: { error in
            print("Failed to unsubscribe: \(error?.localizedDescription ?? "")")
            then(false)
        }
    )
}

// Document 004: the list, a tapped row.
@MainActor
final class AlarmController {
    let alarmList: AlarmList<DeeplinkType>
    var isEmptyViewShown: Bool?
    var opened: [String] = []

    init(alarmList: AlarmList<DeeplinkType>) { self.alarmList = alarmList }

    func viewDidLoad() {
        alarmList.bind { [weak self] in
            guard let `self` = self else { return }
            self.isEmptyViewShown = $0.data.count == 0
        }
    }

    func didSelectRow(_ row: Int) {
        guard let sequence = alarmList.value.data[optional: row]?.sequence else { return }
        alarmList.sendNotificationActionToServer(
            sequence: sequence,
            action: .read,
            successAfter: { [weak self] in
                guard let `self` = self else { return }
                self.alarmList.value.data[optional: row]?.isReading = true
                self.opened.append(self.alarmList.value.data[optional: row]?.scheme ?? "")
            }
        )
    }
}

@MainActor
func document004(_ server: LoopbackServer, _ alarms: AlarmServer) async throws {
    _ = alarms.insert(["scheme": "deeplinkTutorial://messages/7"])
    let parser = DeeplinkType.parser()
    let client = AFNotificationlistApiClient(base: server.url("/api/v1"))
    let controller = AlarmController(alarmList: AlarmList(client: client) { try parser.parse(.text($0)) })
    controller.viewDidLoad()
    try expect(controller.isEmptyViewShown == nil)
    let _: AlarmSnapshot = try await controller.alarmList.refresh()
    controller.didSelectRow(0)
    controller.didSelectRow(9)
    for _ in 0..<1_000_000 where controller.opened.isEmpty { await Task.yield() }
    try expect(controller.opened == ["deeplinkTutorial://messages/7"])
    try expect(controller.isEmptyViewShown == false)
    try expect(alarms.unreadCount == 0)
    try expect(AlarmText.highlightColor == 0x4279FF)
}

struct Failure: Error { let line: Int }

func expect(_ condition: Bool, line: Int = #line) throws {
    if !condition { throw Failure(line: line) }
}

@main
struct Documents {
    @MainActor
    static func main() async throws {
        let server = try LoopbackServer()
        let kore = KorePushServer(users: ["u-1": "token"])
        let alarms = AlarmServer()
        let push = IDPushServer(projects: ["5f0a1"])
        push.serve(on: server)
        kore.serve(on: server)
        alarms.serve(on: server)
        try document000()
        try await document000(server, push)
        try document001()
        try await document002(server, kore)
        try await document004(server, alarms)
        print("ok")
    }
}
