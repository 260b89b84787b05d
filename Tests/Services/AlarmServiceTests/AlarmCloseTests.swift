import AlarmService
import CoreNetKit
import CoreNetKitLoopback
import Foundation
import PushServersMock
import TestPace
import Testing

@Suite("A closed list of alarms", .timeLimit(.minutes(10)), .paced)
struct AlarmCloseTests {
    @Test("tells callers that wait for a page, be it the first or an older one", arguments: [true, false])
    func page(isFirst: Bool) async throws {
        let bench = try Bench(4)
        let list = bench.list(pageSize: 2)
        if !isFirst { try await list.refresh() }
        bench.alarms.failPages(.stall)
        let load: Observer<AlarmSnapshot> = isFirst ? list.refresh() : list.loadMore()
        let request = try await bench.server.request(at: isFirst ? 0 : 1)
        list.close()
        await #expect(throws: CancellationError.self) { try await load.value }
        try await bench.server.waitForDisconnect(of: request.connection)
    }
}
