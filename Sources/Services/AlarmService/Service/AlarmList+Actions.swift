public import CoreNetKit
import CoreNetKitOutbox
import CoreNetKitSystem

/// A tapped alarm: its link, and the request that marks it as read.
public struct OpenedAlarm<Link: Sendable>: Sendable {
    /// The alarm.
    public let alarm: Alarm
    /// The destination; `nil` if the alarm has no link, or one that was refused.
    public let link: Link?
    /// Why the link was refused.
    public let refusal: (any Error)?
    /// The request that marks the alarm as read.
    public let read: Observer<AlarmActionResult>
}

extension AlarmList {
    /// Opens an alarm: returns its link at once, shows the alarm as read and informs the server; throws ``AlarmError``
    /// with code `notFound` if the alarm is not in the list.
    @discardableResult
    public func open(_ sequence: Int) throws -> OpenedAlarm<Link> {
        guard let alarm = snapshot.alarms.first(where: { $0.sequence == sequence }) else {
            throw AlarmError(.notFound, "alarm \(sequence) is not in the list")
        }
        let read: Observer<AlarmActionResult> = markRead(sequence)
        onOpened(alarm)
        guard !alarm.scheme.isBlank else { return OpenedAlarm(alarm: alarm, link: nil, refusal: nil, read: read) }
        do {
            guard alarm.scheme.utf8.count <= 8192 else {
                throw AlarmError(.invalidLink, "the link of alarm \(sequence) is longer than a link may be")
            }
            return OpenedAlarm(alarm: alarm, link: try link(alarm.scheme), refusal: nil, read: read)
        } catch {
            return OpenedAlarm(alarm: alarm, link: nil, refusal: error, read: read)
        }
    }

    /// Marks an alarm as read; nothing is sent if it is read already.
    @discardableResult
    public func markRead(_ sequence: Int) -> Observer<AlarmActionResult> { perform(.read([sequence])) }

    /// Marks all alarms as read.
    @discardableResult
    public func readAll() -> Observer<AlarmActionResult> { perform(.readAll) }

    /// Deletes an alarm.
    @discardableResult
    public func delete(_ sequence: Int) -> Observer<AlarmActionResult> { perform(.delete([sequence])) }

    /// Deletes all alarms.
    @discardableResult
    public func deleteAll() -> Observer<AlarmActionResult> { perform(.deleteAll) }

    /// Stops future alarms of a type, from one sender or from all; existing ones stay.
    @discardableResult
    public func disable(_ type: AlarmType, from sender: String? = nil) -> Observer<AlarmActionResult> {
        perform(.disable(type, from: sender))
    }

    /// Applies an action optimistically, and sends it after the responses to earlier ones.
    ///
    /// If it fails or is cancelled, its change is reverted before its observer reports that, and before `cancel()`
    /// returns. A waiting action that is cancelled is never sent. With an outbox a missing network is not a failure:
    /// the action waits, even across restarts, and its observer waits as long as the process runs.
    /// - Parameter action: The action.
    /// - Returns: The observer of the action; the existing one if the same action for the same alarms is pending.
    @discardableResult
    public func perform(_ action: AlarmAction) -> Observer<AlarmActionResult> {
        state.withLock { state in
            if state.isClosed { return .emit(error: Self.closedError) }
            if let running = state.operation(like: action) { return running.context }
            if case .read(let sequences) = action, !sequences.isEmpty,
                sequences.allSatisfy({ state.list.alarm($0)?.isRead == true })
            {
                return Observer.emit(data: AlarmActionResult(affected: 0, unreadCount: state.shown.unreadCount))
            }
            return begin(action, &state)
        }
    }

    /// Applies an action optimistically, sends it, and waits for the response; after an error the change is reverted.
    @discardableResult
    public func perform(_ action: AlarmAction) async throws -> AlarmActionResult {
        try await (perform(action) as Observer<AlarmActionResult>).value
    }

    /// Applies the read marks that the app has set in the snapshot.
    package func mark(_ alarms: [Alarm]) {
        state.withLock { state in
            state.list.mark(alarms, shown: state.shown.alarms)
            publish(&state)
        }
    }

    // The same calls with `async`.
    /// Marks an alarm as read.
    @discardableResult
    public func markRead(_ sequence: Int) async throws -> AlarmActionResult { try await perform(.read([sequence])) }

    /// Marks all alarms as read.
    @discardableResult
    public func readAll() async throws -> AlarmActionResult { try await perform(.readAll) }

    /// Deletes an alarm.
    @discardableResult
    public func delete(_ sequence: Int) async throws -> AlarmActionResult { try await perform(.delete([sequence])) }

    /// Deletes all alarms.
    @discardableResult
    public func deleteAll() async throws -> AlarmActionResult { try await perform(.deleteAll) }

    /// Stops future alarms of a type, from one sender or from all; existing ones stay.
    @discardableResult
    public func disable(_ type: AlarmType, from sender: String? = nil) async throws -> AlarmActionResult {
        try await perform(.disable(type, from: sender))
    }
}
