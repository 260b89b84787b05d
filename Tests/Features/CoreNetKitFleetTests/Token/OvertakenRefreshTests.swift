import CoreNetKit
@testable import CoreNetKitFleet
import CoreNetKitMock
import CoreNetKitSharedStore
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

@Suite("A refresh that meets what others have stored meanwhile", .timeLimit(.minutes(10)), .paced)
struct OvertakenRefreshTests {
    private let server = AuthServer()
    private let clock = ManualClock()

    private func record(in store: any SharedStore, at key: SharedKey) async throws -> CredentialRecord? {
        try await store.read(key).map { try CredentialRecord($0.bytes, openedBy: PlainSealing(), at: key) }
    }

    @Test("gets a larger number than what it spends, also from a process that has taken nothing before")
    func numbers() async throws {
        let store = LocalStore()
        var (pods, last) = ([Pod](), UInt64(0))
        for turn in 0..<3 {
            // It has what is stored, so it spends that and takes nothing.
            let fresh = Pod(server, in: store, token: Login(turn))
            server.expire()
            try await fresh.call()
            let key = try #require(fresh.store.lastWritten)
            let number = try #require(try await record(in: store, at: key)?.number)
            #expect(number > last)
            last = number
            pods.append(fresh)
        }
        for pod in pods { try await pod.call() }
        #expect(Set(pods.map(\.access)) == ["a3"])
        #expect(server.spends == 3)
        #expect(pods.allSatisfy { $0.events.values.isEmpty })
    }

    @Test("and ends no session where the late result comes just before the end is stored")
    func lateResult() async throws {
        let store = LocalStore(clock: clock)
        let late = LostHolderTests.Holder(.afterSending, server, store, .endSession, clock)
        let other = Pod(server, in: store, clock: CallClock(clock))
        other.store.on(.write) { (count) throws(SharedStoreError) in
            guard count == 1 else { return }
            late.goOn.signal()
            await until { late.pod.store.done(.write) == 2 }
        }
        server.expire()
        let slow = Task { await failure { try await late.pod.call() } }
        await late.stopped.wait()
        let error = try await clock.polling { await failure { try await other.call() } }
        _ = await slow.value
        #expect(error == nil)
        #expect(!other.refresher.isSignedOut)
        #expect(other.access == "a1")
        #expect(server.spends == 1)
        #expect(other.events.values.isEmpty, "no session has ended")
    }

    @Test("and does not know whether it has stored the end says so, and the session has ended")
    func unheardEnd() async throws {
        let store = LocalStore(clock: clock)
        let lost = LostHolderTests.Holder(.afterSending, server, store, .endSession, clock)
        let other = Pod(server, in: store, clock: CallClock(clock))
        other.store.on(.write, .after) { (count) throws(SharedStoreError) in
            if count == 1 { throw WatchedStore.unheard }
        }
        server.expire()
        let dead = Task { try await lost.pod.call() }
        await lost.stopped.wait()
        let error = try await clock.polling { await failure { try await other.call() } }
        #expect(error?.code == .userChanged)
        #expect(other.events.values.map(\.kind) == [.lostRefresh])
        #expect(other.events.values.first?.cause == WatchedStore.unheard)
        dead.cancel()
        lost.goOn.signal()
        _ = await dead.result
    }

    @Test("and comes too late remembers what it found: a store that loses that is told of it, and of nothing older")
    func overtaken() async throws {
        let store = ForgetfulStore { [clock] in LocalStore(clock: clock) }
        let late = LostHolderTests.Holder(.beforeResult, server, store, .spendAgain, clock)
        let other = Pod(server, in: store, lost: .spendAgain, clock: CallClock(clock))
        server.expire()
        // The first one refreshes, the second one takes what came.
        for pod in [other, late.pod] { try await pod.call() }
        server.expire()
        let slow = Task { try await late.pod.call() }
        await late.stopped.wait()
        try await clock.polling { try await other.call() }
        let key = try #require(other.store.lastWritten)
        let newest = try #require(try await record(in: store, at: key))
        late.goOn.signal()
        _ = try await clock.polling { await slow.result }
        other.store.fail()
        let writes = late.pod.store.done(.write)
        store.forget()
        store.tell()
        await until { late.pod.store.done(.write) > writes }
        #expect(try await record(in: store, at: key) == newest)
    }

    @Test("and is stored only at the second try gives its lease back: the next one does not wait for its end")
    func leaseGivenBack() async throws {
        let store = LocalStore(clock: clock)
        let pod = Pod(server, in: store, clock: CallClock(clock))
        pod.store.on(.write) { (count) throws(SharedStoreError) in
            // The first one is the intention; the second one would store what came.
            if count == 2 { throw WatchedStore.unheard }
        }
        server.expire()
        try await clock.polling { try await pod.call() }
        let other = Pod(server, in: store, token: Login(1), clock: CallClock(clock))
        let start = clock.now
        server.expire()
        try await clock.polling { try await other.call() }
        #expect(start.duration(to: clock.now) < .seconds(5))
        #expect(server.spends == 2)
        #expect(server.doubles == 0)
    }

    @Test("a logout during the write of a login is stored behind it")
    func logoutDuringWrite() async throws {
        let (store, ann) = (WatchedStore(LocalStore()), Partition("ann"))
        let settings = SharedCredentials(store, named: "tests", sealing: .plain, afterLostRefresh: .endSession)
        let login = SharedLogin(settings, CredentialCoding(Login.self), origins: host, problem: nil)
        let (stopped, goOn) = (Signal(), Signal())
        store.on(.write) { (count) throws(SharedStoreError) in
            guard count == 1 else { return }
            stopped.signal()
            await goOn.wait()
        }
        let first = Task { await login.publish(Login(1), of: ann) }
        await stopped.wait()
        let second = Task { await login.publish(nil, of: ann) }
        await until { login.hasLogout(of: ann) }
        goOn.signal()
        await first.value
        await second.value
        #expect(try await record(in: store, at: login.key(of: ann))?.state == .ended)
    }
}

extension SharedLogin {
    /// Whether a logout is to be stored.
    func hasLogout(of user: Partition) -> Bool {
        state.withLock { state in
            if case .session(.none)? = state.pending[user]?.change { true } else { false }
        }
    }
}
