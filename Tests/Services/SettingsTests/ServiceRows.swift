import AlarmService
import CoreNetKitOutbox
import DeepLinks
import IDPushService
import KorePushService
import OpenReports
import TestSupport

let serviceRows = [
    SettingRow([
        "AlarmList.init(client:pageSize:outbox:onOpened:link:)", "AlarmList.delete(_:)", "AlarmList.markRead(_:)",
        "AlarmList.open(_:)", "AlarmQuery.init(limit:before:)",
    ]) { extreme in
        let alarms = AlarmClient(base: page, builder: UrlChainsBuilder(client: client(.json("{}"))))
        _ = try? await alarms.page(AlarmQuery(limit: extreme.int(20), before: extreme.int(7))) as AlarmPage
        let list = AlarmList(client: alarms, pageSize: extreme.int(20)) { $0 }
        _ = try? await list.refresh() as AlarmSnapshot
        _ = try? list.open(extreme.int(1))
        _ = try? await list.markRead(extreme.int(1)) as AlarmActionResult
        _ = try? await list.delete(extreme.int(1)) as AlarmActionResult
    },
    SettingRow(
        "DeepLinkCenter.init(parser:policy:timeToLive:duplicateWindow:clock:onRejected:onUnconfirmed:onDelivered:)",
        "DeepLinkPolicy.queue(max:)"
    ) { extreme in
        let center = DeepLinkCenter(
            parser: DeepLinkParser(schemes: ["app"], routes: [DeepLinkRoute("/page", opens: 1)]),
            policy: .queue(max: extreme.int(2)),
            timeToLive: extreme.duration(.seconds(1)),
            duplicateWindow: extreme.duration(.seconds(1))
        )
        for _ in 0..<3 { center.receive(.text("app:///page")) }
        center.deliver { _ in }
    },
    SettingRow([
        "DeviceInfo.init(model:systemVersion:appVersion:platformCode:mark:)", "DeviceInfo.platformCode",
        "IDPushConfiguration.deadline",
        "IDPushConfiguration.init(projectID:environment:baseURL:device:requiresConsent:deadline:)",
        "PushEnvironment.custom(testType:)",
    ]) { extreme in
        var device = DeviceInfo(model: "m", systemVersion: "1", appVersion: "1", platformCode: extreme.int(0))
        device.platformCode = extreme.int(0)
        var configuration = IDPushConfiguration(
            projectID: "1",
            environment: .custom(testType: extreme.int(1)),
            baseURL: page,
            device: device,
            deadline: extreme.duration(.seconds(1))
        )
        configuration.deadline = extreme.duration(.seconds(1))
        let push = try IDPush(configuration, store: InMemoryStore(), client: client(.json("{}")))
        _ = try await push.setTags(["a": 1]) as IDPushReply
    },
    SettingRow("KoreConfiguration.deadline", "KoreConfiguration.init(server:paths:requestFormat:retry:deadline:)") {
        extreme in
        var configuration = KoreConfiguration(server: page, retry: nil, deadline: extreme.duration(.seconds(1)))
        configuration.deadline = extreme.duration(.seconds(1))
        let push = try KorePush(
            session: KoreSession(userID: "alice", accessToken: "token"),
            configuration: configuration,
            store: InMemoryStore(),
            client: client(.json("{}"))
        )
        _ = try await push.subscribe(KoreDeviceToken(hex: "a1b2c3d4")) as KoreSubscription
    },
    SettingRow("KoreSession.init(userID:accessToken:tokenType:expires:refresh:)") { extreme in
        _ = try KoreSession(userID: "alice", accessToken: "token", expires: extreme.date(.now + 60))
    },
    SettingRow("OpenReports.init(to:client:lifetime:now:onLost:)") { extreme in
        let folder = try TemporaryFolder()
        let outbox = try Outbox(at: folder["box"])
        let date = extreme.date(.now)
        let reports = OpenReports(
            to: page,
            client: client().outbox(outbox),
            lifetime: extreme.duration(.seconds(60)),
            now: { date }
        )
        reports.report(OpenEvent("alarm", id: "1", what: "opened"))
        await reports.stored()
    },
]
