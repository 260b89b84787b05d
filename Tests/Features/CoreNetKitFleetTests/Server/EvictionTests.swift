#if os(Linux)
    import CoreNetKit
    import CoreNetKitFleet
    import CoreNetKitSharedStore
    import CoreNetKitSystem
    import Foundation
    import TestPace
    import Testing

    @Suite("A server whose memory is full", .needsServer, .timeLimit(.minutes(10)), .paced)
    struct EvictionTests {
        private static func server(_ policy: String) throws -> RealServer {
            try RealServer(RealServer.programs[0], ["--maxmemory", "4mb", "--maxmemory-policy", policy])
        }

        private func store(_ server: RealServer) -> ValkeyStore { ValkeyStore(server.unix, timeout: .seconds(5)) }

        /// Writes what nobody needs until something holds, or nothing more is taken.
        private func fill(
            _ store: ValkeyStore,
            _ size: Int = 32 << 10,
            from first: Int = 0,
            until holds: () async -> Bool
        ) async -> SharedStoreError? {
            for number in first..<first + 10_000 {
                if await holds() { return nil }
                do throws(SharedStoreError) {
                    let key = SharedKey(kind: "junk", "\(size) \(number)")
                    _ = try await store.write(key, Data(count: size), over: nil, for: .seconds(600))
                } catch {
                    return error
                }
            }
            Issue.record("4 MB were not enough to be full")
            return nil
        }

        @Test("and that evicts a credential lets no refresh token be used twice", arguments: [false, true])
        func credential(isEndless: Bool) async throws {
            let server = try Self.server("allkeys-random")
            let (store, auth) = (store(server), AuthServer())
            let lost: SharedCredentials.LostRefresh = isEndless ? .spendAgain : .endSession
            let pods = (0..<3).map { _ in
                Pod(auth, in: self.store(server), lost: lost, lease: .milliseconds(500))
            }
            for round in 1...3 {
                auth.expire()
                try await pods.call()
                #expect(auth.spends == round)
                let refusal = await fill(store) { (try? await Self.credentials(in: store, of: pods[0])) == false }
                #expect(refusal == nil)
            }
            auth.expire()
            try await pods.call()
            auth.expectSpent(4)
        }

        /// Whether the login of a process is stored.
        private static func credentials(in store: ValkeyStore, of pod: Pod) async throws -> Bool {
            guard let key = pod.store.lastWritten else { return true }
            return try await store.read(key) != nil
        }

        @Test("and that evicts leases grants one twice: to two holders with two numbers")
        func lease() async throws {
            let server = try Self.server("allkeys-random")
            let store = store(server)
            let key = SharedKey(kind: "test", "one")
            let first = try #require(try await store.lease(key, for: .seconds(600)))
            var second: SharedLease?
            let failure = await fill(store) {
                second = try? await store.lease(key, for: .seconds(600))
                return second != nil
            }
            #expect(failure == nil)
            // What Docs/Fleet.md says of it: a lease is a hint, and the number is what a resource can refuse by.
            #expect(try #require(second).number > first.number)
        }

        @Test("and that evicts nothing refuses at once, is not away, and keeps what it has")
        func noeviction() async throws {
            let server = try Self.server("noeviction")
            let (store, auth) = (store(server), AuthServer())
            let pods = (0..<2).map { _ in Pod(auth, in: self.store(server)) }
            auth.expire()
            try await pods.call()
            // A server gives memory of quiet connections back meanwhile: it is filled again until there is none for a lease.
            var error: NetworkError?
            for round in 0..<100 where error == nil {
                for size in [32 << 10, 1 << 10, 16] {
                    let refusal = await fill(store, size, from: round * 10_000) { false }
                    #expect(refusal?.code == .refused)
                }
                #expect(!store.isUnavailable)
                let spends = auth.spends
                auth.expire()
                error = await failure { try await pods[0].call() }
                #expect(auth.spends == (error == nil ? spends + 1 : spends), "what cannot be noted is not begun")
            }
            #expect(error?.code == .tokenRefreshFailed)
            #expect(error?.isRetryable == true)
            #expect(auth.doubles == 0)
            #expect(try await Self.credentials(in: store, of: pods[0]))
        }
    }
#endif
