import AlarmService
import CoreNetKit
import DeepLinks
import DeepLinksDocumentNames
import Foundation
import PushServersMock

extension Journey {
    private func makeList() -> AlarmList<DeeplinkType> {
        let parser = DeeplinkType.parser(hosts: ["example.com"])
        let client = AlarmClient(
            base: world.base.appending(path: "api/v1"),
            builder: UrlChainsBuilder(client: world.client)
        )
        return AlarmList(client: client, pageSize: 2) { try parser.parse(.text($0)) }
    }

    /// Steps 12 to 16: list, highlight, open, read all, delete.
    func alarmList() async throws {
        if world.isEmbedded {
            for number in 1...4 {
                _ = world.alarms.insert([
                    "from_nick": "시작", "head_text": "새 글", "message": #"시작합니다. "<시작>"이"#, "type": "F0\(number)",
                    "scheme": "deeplinkTutorial://messages/\(number)",
                ])
            }
        }
        let list = makeList()
        try await step(12, "two pages, one inserted between") {
            let first = try await list.refresh() as AlarmSnapshot
            if world.isEmbedded { _ = world.alarms.insert(["type": "F09"]) }
            let both = try await list.loadMore() as AlarmSnapshot
            guard world.isEmbedded else { return "\(both.alarms.count) alarms, \(both.unreadCount) unread" }
            let sequences = both.alarms.map(\.sequence)
            try same(
                sequences,
                Array(world.alarms.items.map(\.sequence).sorted(by: >).dropFirst().prefix(4)),
                "sequences"
            )
            try same(first.unreadCount, 4, "unread")
            return "\(sequences) without \(world.alarms.items.count - 4) newer, \(both.unreadCount) unread"
        }
        try step(13, "highlight the nickname") {
            let text = AlarmText(message: #"시작합니다. "<시작>"이"#, nick: "시작", head: "새 글")
            try same(text.plain, #"시작합니다. "시작"이: 새 글"#, "text")
            try same(text.highlightedRange, 8..<10, "range")
            return text.segments.map { $0.isHighlighted ? "[\($0.text)]" : $0.text }.joined()
        }
        guard world.isEmbedded, let sequence = list.snapshot.alarms.first?.sequence else { return }
        try await step(14, "open an alarm, server says 409") {
            world.alarms.failActions(.status(409, code: "stale"))
            let shown = Shared<[Bool?]>([])
            let binding = list.bind { snapshot in
                let isRead = snapshot.alarms.first { $0.sequence == sequence }?.isReading
                shown.change { if $0.last != isRead { $0.append(isRead) } }
            }
            let opened = try list.open(sequence)
            try same(opened.link, .messages(.details(id: "4")), "link")
            let error = try await fails({ try await opened.read.value }) { (error: AlarmError) in error.code == .stale }
            try await until("the alarm is shown as it was") { shown.value.count == 3 }
            try same(shown.value, [false, true, false], "shown as read")
            binding.cancel()
            _ = try await list.markRead(sequence) as AlarmActionResult
            try same(isRead(sequence, list), true, "second try")
            return "link at once, rolled back (\(error.code)), second try sticks"
        }
        try await step(15, "read all, cancelled in flight") {
            world.alarms.failActions(.stall)
            let call: Observer<AlarmActionResult> = list.readAll()
            try same(list.snapshot.unreadCount, 0, "shown as read")
            try await until("the server has the request") { sent.contains { $0.body.contains("action=read_all") } }
            let ended = Task { await events(of: call) }
            await Task.yield()
            call.cancel()
            try same(await ended.value, ["cancelled", "defer"], "events")
            try same(list.snapshot.unreadCount > 0, true, "rolled back")
            return "cancelled, \(list.snapshot.unreadCount) unread again"
        }
        try await step(16, "delete, disable, refresh") {
            _ = try await list.delete(sequence) as AlarmActionResult
            _ = try await list.disable("F02") as AlarmActionResult
            let snapshot = try await list.refresh() as AlarmSnapshot
            try same(sent.count, 3, "requests")
            try same(snapshot.unreadCount, world.alarms.unreadCount, "unread")
            try same(snapshot.alarms.contains { $0.sequence == sequence }, false, "deleted alarm shown")
            return "list and server agree: \(snapshot.unreadCount) unread"
        }
    }

    private func isRead(_ sequence: Int, _ list: AlarmList<DeeplinkType>) -> Bool? {
        list.snapshot.alarms.first { $0.sequence == sequence }?.isReading
    }

    /// Lets the rest of the app run until a condition holds.
    private func until(_ what: String, _ condition: () -> Bool) async throws {
        for _ in 0..<1_000_000 {
            if condition() { return }
            await Task.yield()
        }
        throw Mismatch(step: world.step.value, message: "in vain: \(what)")
    }
}
