import AlarmService
import AlarmServiceDocumentNames
import PushServersMock
import TestSupport

/// The code of document 004, the user's specification, as printed, with stand-ins for its views.
@MainActor
private final class NotificationListViewController {
    final class TableView {
        var reloads = 0
        func reloadData() { reloads += 1 }
    }

    let alarmList: AlarmList<String>
    let tableView = TableView()
    var isEmptyUIShown = false
    var isAllReadEnabled = false
    var opened: [String?] = []

    init(alarmList: AlarmList<String>) { self.alarmList = alarmList }

    func viewDidLoad() {
        self.alarmList.bind { [weak self] in
            guard let `self` = self else { return }
            if $0.data.count == 0 {
                self.setupEmptyUI()
            } else {
                self.isEmptyUIShown = false
            }
            self.isEnableAllRead()
            self.tableView.reloadData()
        }
    }

    func didSelectRow(_ row: Int) {
        if let readSequence = self.alarmList.value.data[optional: row]?.sequence {
            self.sendNotificationActionToServer(
                sequence: readSequence,
                action: .read,
                successAfter: { [weak self] in
                    guard let `self` = self else { return }
                    self.alarmList.value.data[optional: row]?.isReading = true
                    self.isEnableAllRead()
                    self.opened.append(self.alarmList.value.data[optional: row]?.scheme)
                }
            )
        }
    }

    private func sendNotificationActionToServer(
        sequence: Int,
        action: AFNotificationlistApiClient.ApiAction,
        successAfter: @escaping @MainActor @Sendable () -> Void
    ) {
        alarmList.sendNotificationActionToServer(sequence: sequence, action: action, successAfter: successAfter)
    }

    func setupEmptyUI() { isEmptyUIShown = true }
    func isEnableAllRead() { isAllReadEnabled = alarmList.isEnableAllRead() }
}

@Suite("The names of document 004 work as printed", .timeLimit(.minutes(10)), .paced)
struct Document004Tests {
    @Test("an alarm has the twelve properties with their defaults")
    func defaults() {
        let properties = Mirror(reflecting: Alarm()).children.map { "\($0.label ?? "")=\($0.value)" }
        #expect(
            properties == [
                "sequence=0", "notificationType=F00", "fromNickName=", "fromId=", "isReading=false", "headText=",
                "stationName=", "thumbnail=", "scheme=", "notificationMessage=", "profileImageURL=",
                "notificationDate=",
            ]
        )
    }

    @Test("the five actions have the document's names on the wire")
    func actions() {
        let names = AFNotificationlistApiClient.ApiAction.allCases.map(\.rawValue)
        #expect(names == ["read", "read_all", "delete", "delete_all", "notification_disable"])
        #expect(AFNotificationlistApiClient.ApiAction(rawValue: "read_all") == .readAll)
    }

    @Test("[optional:] returns nil for a missing element, and sets nothing there")
    func optional() {
        var numbers = [1, 2]
        #expect([1, 2, -1].map { numbers[optional: $0] } == [2, nil, nil])
        numbers[optional: 0] = 5
        numbers[optional: 7] = 5
        numbers[optional: 1] = nil
        #expect(numbers == [5, 2])
    }

    @MainActor
    @Test("the controller's code shows the list, marks a tapped row and opens its link")
    func controller() async throws {
        let bench = try Bench(2)
        let list = bench.list()
        let controller = NotificationListViewController(alarmList: list)
        controller.viewDidLoad()
        try await list.refresh()
        controller.didSelectRow(0)
        controller.didSelectRow(17)
        while controller.opened.isEmpty { await Task.yield() }
        #expect(controller.opened == ["app://alarm/1"])
        #expect(list.value.data.map(\.isReading) == [true, false])
        #expect(!controller.isEmptyUIShown)
        #expect(controller.isAllReadEnabled)
        #expect(controller.tableView.reloads >= 2)
        try await list.deleteAll()
        while !controller.isEmptyUIShown { await Task.yield() }
        #expect(!controller.isAllReadEnabled)
    }

    @Test("each action identifies its alarm by name, and disabling takes the alarm's type")
    func send() async throws {
        let (bench, list) = try await Bench.loaded(3)
        for action in AFNotificationlistApiClient.ApiAction.allCases where action != .deleteAll {
            let sequence = action == .delete ? 1 : 2
            _ = try await list.sendNotificationActionToServer(sequence: sequence, action: action) {}.value
        }
        #expect(bench.actions.map { $0["action"] } == ["read", "read_all", "delete", "notification_disable"])
    }

    @Test("a manual value counts only as a mark")
    func setting() async throws {
        let (bench, list) = try await Bench.loaded(2)
        list.value.data[optional: 0]?.isReading = true
        #expect(list.snapshot.unreadCount == 1)
        list.value.data = []
        #expect(list.snapshot.alarms.map(\.isRead) == [true, false])
        #expect(bench.actions.isEmpty)
    }

    @Test("a manual mark does not make running ones final")
    func settingMeanwhile() async throws {
        let (bench, list) = try await Bench.loaded(2)
        bench.alarms.failActions(.status(409))
        let read: Observer<AlarmActionResult> = list.markRead(2)
        list.value.data[optional: 1]?.isReading = true
        #expect(list.snapshot.alarms.map(\.isRead) == [true, true])
        await #expect(throws: AlarmError.self) { try await read.value }
        #expect(list.snapshot.alarms.map(\.isRead) == [false, true])
    }
}
