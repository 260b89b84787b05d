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

@Suite("A store that has lost what the processes of a fleet know", .timeLimit(.minutes(10)), .paced)
struct ForgetfulStoreTests {
    private let server = AuthServer()
    private let clock = ManualClock()

    /// Two processes, of which the second is one credential behind.
    private func pods(in store: any SharedStore) async throws -> (ahead: Pod, behind: Pod) {
        let pods = (0..<2).map { _ in Pod(server, in: store, clock: CallClock(clock)) }
        server.expire()
        for pod in pods { try await pod.call() }
        server.expire()
        try await pods[0].call()
        #expect(server.spends == 2)
        return (pods[0], pods[1])
    }

    @Test("is told again by the process with the newest credential, so that one that is behind spends nothing twice")
    func restarted() async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let (ahead, behind) = try await pods(in: store)
        store.forget()
        store.tell()
        try await clock.polling { try await behind.call() }
        #expect(server.spends == 2)
        #expect(server.doubles == 0)
        #expect(behind.access == ahead.access)
        #expect(ahead.events.values.map(\.kind) == [.restored])
    }

    @Test("because the value was evicted is told again, too, without a lost connection")
    func evicted() async throws {
        let store = LocalStore(clock: clock)
        let (ahead, behind) = try await pods(in: store)
        let key = try #require(ahead.store.lastWritten)
        #expect(try await store.remove(key, over: nil))
        try await clock.polling { try await behind.call() }
        #expect(server.spends == 2)
        #expect(server.doubles == 0)
        #expect(behind.access == ahead.access)
    }

    @Test("is told of a logout again: no process brings the login back")
    func logout() async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let (ahead, behind) = try await pods(in: store)
        ahead.refresher.set(nil)
        await ahead.refresher.idle()
        store.forget()
        store.tell()
        let error = try await clock.polling { await failure { try await behind.call() } }
        #expect(error?.code == .userChanged)
        #expect(server.spends == 2)
    }

    @Test("is told again of a refresh whose outcome is unknown, and it is not spent again", arguments: [false, true])
    func unknown(isOther: Bool) async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let isBroken = Locked(false)
        let broken = Pod(server, in: store, clock: CallClock(clock)) { login, server in
            let renewed = server.refreshed(login)
            if isBroken.withLock({ $0 }) { throw Self.broken }
            return renewed
        }
        let other = Pod(server, in: store, clock: CallClock(clock))
        server.expire()
        for pod in [broken, other] { try await pod.call() }
        server.expire()
        isBroken.withLock { $0 = true }
        #expect(await failure { try await broken.call() }?.code == .tokenRefreshFailed)
        isBroken.withLock { $0 = false }
        #expect(server.spends == 2)
        store.forget()
        store.tell()
        let next = isOther ? other : broken
        let error = try await clock.polling { await failure { try await next.call() } }
        #expect(error?.code == .userChanged)
        #expect(server.spends == 2)
        #expect(server.doubles == 0)
    }

    @Test("is told again of the first refresh of all, too: its record has number 0", arguments: [false, true])
    func firstRefresh(isEvicted: Bool) async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let pod = Pod(server, in: store, clock: CallClock(clock)) { login, server in
            _ = server.refreshed(login)
            throw Self.broken
        }
        server.expire()
        #expect(await failure { try await pod.call() }?.code == .tokenRefreshFailed)
        #expect(server.spends == 1)
        if isEvicted {
            #expect(try await store.remove(try #require(pod.store.lastWritten), over: nil))
        } else {
            store.forget()
            store.tell()
        }
        let error = try await clock.polling { await failure { try await pod.call() } }
        #expect(error?.code == .userChanged)
        #expect(server.spends == 1)
        #expect(server.doubles == 0)
    }

    @Test("and could not be asked for long gets the same time when it can: nobody has told it before")
    func awayForLong() async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let (ahead, behind) = try await pods(in: store)
        store.forget()
        for pod in [ahead, behind] { pod.store.fail() }
        store.tell()
        // One more element of the changes is waited for by each of the two readers then.
        await store.asked.wait(6)
        _ = try await clock.polling { await failure { try await behind.call() } }
        clock.advance(by: .seconds(20))
        behind.store.onCall(nil)
        let call = Task { try await behind.call() }
        await until { behind.store.done(.read) > 2 }
        ahead.store.onCall(nil)
        try await clock.polling { try await call.value }
        #expect(server.spends == 2)
        #expect(server.doubles == 0)
        #expect(behind.access == ahead.access)
    }

    @Test("and comes and goes a thousand times while it is told is told once more, not once for each time")
    func flapping() async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let pod = Pod(server, in: store, clock: CallClock(clock))
        server.expire()
        try await pod.call()
        let (begun, goOn, reads) = (Signal(), Signal(), pod.store.count(of: .read))
        pod.store.onCall { (step, time) throws(SharedStoreError) in
            guard step == .read, time == .before else { return }
            begun.signal()
            await goOn.wait()
        }
        store.forget()
        store.tell()
        await begun.wait()
        for _ in 0..<1000 { store.tell() }
        // The first element, those that were told, and the next one that is waited for.
        await store.asked.wait(1003)
        goOn.signal()
        await until { pod.events.values.map(\.kind) == [.restored] && pod.store.done(.read) >= reads + 2 }
        for _ in 0..<10_000 { await Task.yield() }
        #expect(pod.store.count(of: .read) <= reads + 4)
    }

    @Test("or has not said whether it wrote an intention gets the next one under another lease")
    func leaseOfAnIntentionTakenBack() async throws {
        let store = LocalStore(clock: clock)
        let isBroken = Locked(true)
        let pod = Pod(server, in: store, clock: CallClock(clock)) { login, server in
            let renewed = server.refreshed(login)
            if isBroken.withLock({ $0 }) { throw Self.broken }
            return renewed
        }
        pod.store.on(.write) { (count) throws(SharedStoreError) in
            if count == 1 { throw WatchedStore.unheard }
        }
        server.expire()
        let first = try await clock.polling { await failure { try await pod.call() } }
        #expect(first?.code == .tokenRefreshFailed)
        isBroken.withLock { $0 = false }
        #expect(server.spends == 1)
        let second = try await clock.polling { await failure { try await pod.call() } }
        #expect(second?.code == .userChanged)
        #expect(server.spends == 1)
        #expect(server.doubles == 0)
    }

    /// A connection that broke: nobody knows whether the server has done it, and the call may be repeated.
    private static var broken: NetworkError {
        var failure = NetworkError(.nodeFailed, "no", node: "Test")
        failure.isRetryable = true
        return failure
    }
}
