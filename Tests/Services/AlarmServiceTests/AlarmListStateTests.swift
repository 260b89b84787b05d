import CoreNetKit
import TestPace
import Testing

@testable import AlarmService

@Suite("What an alarm list does with a notification", .paced)
struct AlarmListStateTests {
    private func push(_ sequence: Int, isRead: Bool) throws -> AlarmPush {
        AlarmPush(payload: try Json(parsing: #"{"data":{"seq":\#(sequence),"is_read":\#(isRead)}}"#))
    }

    @Test("an alarm that was read on another device is not counted as unread", arguments: [false, true])
    func read(isRead: Bool) throws {
        let push = try push(7, isRead: isRead)
        #expect(push.alarm?.isReading == isRead)
        var state = AlarmListState()
        state.refresh(AlarmPage(alarms: [], skipped: 0, hasMore: false, nextBefore: nil, unreadCount: nil))
        state.receive(push)
        #expect(state.snapshot.alarms.map(\.sequence) == [7])
        #expect(state.snapshot.unreadCount == (isRead ? 0 : 1))
    }
}
