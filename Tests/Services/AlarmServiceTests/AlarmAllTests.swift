import AlarmService
import CoreNetKit
import CoreNetKitLoopback
import Foundation
import PushServersMock
import TestPace
import Testing

@Suite("\"All\" alarms means those that were shown", .timeLimit(.minutes(10)), .paced)
struct AlarmAllTests {
    @Test(
        "\"all\" twice is one action for the same alarms, and a second one once a new alarm is shown",
        arguments: ["read_all", "delete_all"]
    )
    func allTwice(name: String) async throws {
        let bench = try Bench(2)
        let list = bench.list()
        let act = { () -> Observer<AlarmActionResult> in name == "read_all" ? list.readAll() : list.deleteAll() }
        try await list.refresh()
        bench.alarms.failActions(.stall)
        let first = act()
        #expect(act() === first)
        bench.alarms.insert()
        _ = try await list.refresh()
        let second = act()
        #expect(second !== first)
        #expect(act() === second)
        _ = try await bench.server.waitForRequests(3)
        first.cancel()
        _ = try await second.value
        #expect(bench.actions.map { $0["action"] } == [name, name])
        #expect(list.snapshot.unreadCount == 0)
    }

    @Test("\"all\" of an empty list does not hide later alarms")
    func allOfNothing() async throws {
        let bench = try Bench()
        let list = bench.list()
        try await list.refresh()
        bench.alarms.failActions(.stall)
        let call: Observer<AlarmActionResult> = list.deleteAll()
        bench.alarms.insert()
        _ = try await list.refresh()
        #expect(list.snapshot.alarms.map(\.sequence) == [1])
        call.cancel()
    }
}
