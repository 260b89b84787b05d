import CoreNetKitChain
@testable import CoreNetKitFleet
import CoreNetKitMock
import CoreNetKitSystem
import TestPace
import TestSupport
import Testing

@Suite("How long a store on a server is waited for, and how often it is tried", .timeLimit(.minutes(10)), .paced)
struct ValkeyPaceTests {
    private let clock = ManualClock()

    private static let table: [(Duration, Duration)] = [
        (.zero, .milliseconds(1)), (.seconds(-1), .milliseconds(1)), (.milliseconds(1), .milliseconds(1)),
        (.milliseconds(7), .milliseconds(7)),
    ]

    @Test("a call ends after the timeout that was set, which is a millisecond at least", arguments: table)
    func timeout(set: Duration, used: Duration) async throws {
        let server = PlayedServer()
        let store = server.store(timeout: set, clock: clock)
        let call = Task { () -> SharedStoreError? in
            do {
                _ = try await store.read(SharedKey(kind: "test", "one"))
                return nil
            } catch {
                return error as? SharedStoreError
            }
        }
        await server.heard.wait(2)
        clock.advance(by: .milliseconds(10))
        let error = await call.value
        #expect(error?.code == .timedOut)
        #expect(error?.message == "the store took longer than \(used)")
    }

    @Test("one more connection is tried after several calls that failed, not one for each of them")
    func oneTimer() async throws {
        let tried = Signal()
        let connector = ValkeyConnector {
            tried.signal()
            throw SharedStoreError(.unreachable, "gone")
        }
        let handshake = ValkeyHandshake(credentials: nil, name: "")
        let connection = ValkeyConnection(connector, handshake, timeout: .seconds(10), clock: CallClock(clock))
        /// When the next connection is tried; later sleepers are those of calls.
        func next() -> ManualClock.Instant? { clock.sleepers.first { $0.offset < .seconds(5) } }
        await #expect(throws: SharedStoreError.self) { try await connection.call(RESPCommand(["PING"])) }
        await until { next() != nil }
        let first = try #require(next())
        for _ in 0..<2 {
            await #expect(throws: SharedStoreError.self) { try await connection.call(RESPCommand(["PING"])) }
        }
        #expect(tried.count == 3)
        clock.advance(to: first)
        await tried.wait(4)
        await until { next() != nil }
        let second = try #require(next())
        // After four failures the wait is 400 to 800 ms; those of the first three would have been 350 ms at most.
        #expect(first.duration(to: second) >= .milliseconds(400))
    }
}
