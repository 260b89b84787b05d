public import AlarmService
public import CoreNetKit

// The names of document 004, the user's specification, as thin wrappers; `Docs/Services/Names.md` maps them.

/// The document's name of ``/AlarmService/AlarmClient``.
public typealias AFNotificationlistApiClient = AlarmClient

extension AlarmClient {
    /// The actions of the document, by their names on the wire.
    public enum ApiAction: String, Sendable, CaseIterable {
        /// Marks alarms as read.
        case read = "read"
        /// Marks all alarms as read.
        case readAll = "read_all"
        /// Deletes alarms.
        case delete = "delete"
        /// Deletes all alarms.
        case deleteAll = "delete_all"
        /// Stops future alarms of the type of an alarm.
        case notificationDisable = "notification_disable"
    }
}

extension Array {
    /// The element at an index, `nil` if out of bounds; setting does nothing there, nor does setting `nil`.
    public subscript(optional index: Int) -> Element? {
        get { indices.contains(index) ? self[index] : nil }
        set {
            guard indices.contains(index), let newValue else { return }
            self[index] = newValue
        }
    }
}

extension AlarmSnapshot {
    /// The document's name of ``alarms``.
    public var data: [Alarm] {
        get { alarms }
        set { alarms = newValue }
    }
}

extension AlarmList {
    /// The document's name of ``snapshot``; setting it only applies the read marks of the alarms.
    public var value: AlarmSnapshot {
        get { snapshot }
        set { mark(newValue.alarms) }
    }

    /// The document's name of ``AlarmSnapshot/canMarkAllAsRead``.
    public func isEnableAllRead() -> Bool { snapshot.canMarkAllAsRead }

    /// Sends an action to one alarm or, regardless of the sequence, to all; calls a closure on the main actor when the
    /// server has accepted it.
    @discardableResult
    public func sendNotificationActionToServer(
        sequence: Int,
        action: AlarmClient.ApiAction,
        successAfter: @escaping @MainActor @Sendable () -> Void
    ) -> Observer<AlarmActionResult> {
        let call: Observer<AlarmActionResult> =
            switch action {
            case .read: markRead(sequence)
            case .readAll: readAll()
            case .delete: delete(sequence)
            case .deleteAll: deleteAll()
            case .notificationDisable: disable(snapshot.alarms.first { $0.sequence == sequence }?.type ?? "")
            }
        return call.onCompleted { @MainActor _ in successAfter() }
    }
}

extension AlarmText {
    /// The document's colour of the name, as red, green and blue.
    public static let highlightColor: UInt32 = 0x4279FF

    /// The document's size of the name, in points; its weight is bold.
    public static let highlightSize = 12.0
}
