import CoreNetKit
import CoreNetKitFleet
import CoreNetKitHTTP
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A process that dies or is stopped while it refreshes for all", .timeLimit(.minutes(10)), .paced)
struct LostHolderTests {
    /// Where the process is stopped for good, or until another one has done its work.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case beforeLease, beforeSecondLook, beforeIntention, afterIntention, beforeSending, afterSending, beforeResult,
            beforeRelease

        var testDescription: String { rawValue }
        /// Whether the intention stands when it stops, and its outcome does not.
        var leavesIntention: Bool {
            [.afterIntention, .beforeSending, .afterSending, .beforeResult].contains(self)
        }
        /// Whether the server has seen its request.
        var hasSent: Bool { [.afterSending, .beforeResult, .beforeRelease].contains(self) }
    }

    /// A process that stops at a place; `goOn` lets it go on.
    struct Holder {
        let pod: Pod
        let stopped = Signal()
        let goOn = Signal()

        init(
            _ place: Place,
            _ server: AuthServer,
            _ store: any SharedStore,
            _ lost: SharedCredentials.LostRefresh,
            _ clock: ManualClock
        ) {
            let (stopped, goOn) = (stopped, goOn)
            @Sendable func stop() async {
                stopped.signal()
                // Its task may be cut meanwhile: a process that does not run sees nothing of that.
                await Task.detached { await goOn.wait() }.value
            }
            let (reads, writes) = (Locked(0), Locked(0))
            pod = Pod(server, in: store, lost: lost, clock: clock) { login, server in
                if place == .beforeSending { await stop() }
                let renewed = server.refreshed(login)
                if place == .afterSending { await stop() }
                return renewed
            }
            pod.store.onCall { (step, time) throws(SharedStoreError) in
                switch (step, time) {
                case (.read, .before):
                    if reads.next() == 2, place == .beforeSecondLook { await stop() }
                case (.lease, .before): if place == .beforeLease { await stop() }
                case (.write, .before):
                    let count = writes.next()
                    if count == 1, place == .beforeIntention { await stop() }
                    if count == 2, place == .beforeResult { await stop() }
                case (.write, .after):
                    if writes.withLock({ $0 }) == 1, place == .afterIntention { await stop() }
                case (.release, .before): if place == .beforeRelease { await stop() }
                default: break
                }
            }
        }
    }

    private let server = AuthServer()
    private let clock = ManualClock()
    private let store: LocalStore

    init() { store = LocalStore(clock: clock) }

    @Test(
        "killed there, the others continue: one refresh, or what the policy says for an unknown outcome",
        arguments: Place.allCases,
        [SharedCredentials.LostRefresh.spendAgain, .endSession]
    )
    func killed(at place: Place, _ lost: SharedCredentials.LostRefresh) async throws {
        let holder = Holder(place, server, store, lost, clock)
        let other = Pod(server, in: store, lost: lost, clock: clock)
        server.expire()
        let dead = Task { try await holder.pod.call() }
        await holder.stopped.wait()
        let outcome = try await clock.polling { await failure { try await other.call() } }
        if place.leavesIntention, lost == .endSession {
            #expect(outcome?.code == .userChanged)
            #expect(other.refresher.isSignedOut)
            #expect(server.spends == (place.hasSent ? 1 : 0))
        } else {
            #expect(outcome == nil)
            #expect(server.spends == (place.hasSent && place.leavesIntention ? 2 : 1))
        }
        #expect(server.doubles == (place.hasSent && place.leavesIntention && lost == .spendAgain ? 1 : 0))
        let noted = other.events.values.contains { $0.kind == .lostRefresh }
        #expect(noted == place.leavesIntention)
        dead.cancel()
        holder.goOn.signal()
        _ = await dead.result
    }

    @Test(
        "stopped there until the others are done, it does no harm that the policy does not allow",
        arguments: Place.allCases,
        [SharedCredentials.LostRefresh.spendAgain, .endSession]
    )
    func stopped(at place: Place, _ lost: SharedCredentials.LostRefresh) async throws {
        let holder = Holder(place, server, store, lost, clock)
        let other = Pod(server, in: store, lost: lost, clock: clock)
        server.expire()
        let slow = Task { try await holder.pod.call() }
        await holder.stopped.wait()
        _ = try await clock.polling { await failure { try await other.call() } }
        // Beyond the end of its lease in any case.
        clock.advance(by: .seconds(20))
        holder.goOn.signal()
        _ = try await clock.polling { await slow.result }
        await holder.pod.refresher.idle()
        let ends = lost == .endSession && place.leavesIntention
        // Between check and send nothing can be checked: one may come late, of a session that has ended.
        #expect(server.spends <= (lost == .spendAgain && place.leavesIntention ? 2 : 1))
        #expect(server.doubles <= (lost == .spendAgain && place.leavesIntention ? 1 : 0))
        // All agree afterwards.
        if ends {
            _ = try await clock.polling { await failure { try await holder.pod.call() } }
            #expect(holder.pod.refresher.isSignedOut && other.refresher.isSignedOut)
        } else {
            let spends = server.spends
            for pod in [holder.pod, other] { try await clock.polling { try await pod.call() } }
            #expect(holder.pod.access == other.access)
            // Of two that were spent for one, the server may know the other one.
            if !place.leavesIntention { #expect(server.spends == spends) }
        }
    }

    @Test("after more than half of its lease, it sends nothing and starts again")
    func lateStart() async throws {
        let holder = Holder(.beforeIntention, server, store, .endSession, clock)
        server.expire()
        let call = Task { try await holder.pod.call() }
        await holder.stopped.wait()
        clock.advance(by: .seconds(6))
        holder.goOn.signal()
        try await clock.polling { try await call.value }
        #expect(server.spends == 1)
        #expect(holder.pod.store.count(of: .lease) == 2)
        #expect(holder.pod.events.values.isEmpty)
    }

    @Test("cut off at the end of its lease: a later result is kept, if no other process has continued")
    func cut() async throws {
        let holder = Holder(.afterSending, server, store, .spendAgain, clock)
        server.expire()
        let call = Task { await failure { try await holder.pod.call() } }
        await holder.stopped.wait()
        await until { clock.sleepers.contains(.init(offset: .seconds(10))) }
        clock.advance(by: .seconds(10))
        let error = await call.value
        #expect(error?.code == .tokenRefreshFailed)
        #expect(error?.isRetryable == true)
        holder.goOn.signal()
        let other = Pod(server, in: store, lost: .spendAgain, clock: clock)
        await until { holder.pod.store.done(.write) == 2 }
        try await clock.polling { try await other.call() }
        #expect(server.spends == 1)
    }
}
