#if os(Linux)
    import TestSupport
    import CoreNetKitFleet

    @Suite("A server whose memory is full", .needsServer, .timeLimit(.minutes(10)), .paced)
    struct EvictionTests {
        private static func server(_ policy: String) throws -> RealServer {
            try RealServer(RealServer.programs[0], ["--maxmemory", "4mb", "--maxmemory-policy", policy])
        }

        private func store(_ server: RealServer) -> ValkeyStore { ValkeyStore(server.unix, timeout: .seconds(60)) }

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
                    _ = try await store.write(key, Data(count: size), ifVersion: nil, for: .seconds(600))
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
                try await auth.expire(for: pods)
                #expect(auth.spends == round)
                let refusal = await fill(store) { (try? await Self.credentials(in: store, of: pods[0])) == false }
                #expect(refusal == nil)
            }
            try await auth.expire(for: pods)
            auth.expectSpent(4)
        }

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
            #expect(try #require(second).fencingToken > first.fencingToken)
        }

        @Test("and that evicts nothing refuses at once, is not away, and keeps what it has")
        func noeviction() async throws {
            let server = try Self.server("noeviction")
            let (store, auth) = (store(server), AuthServer())
            let pods = (0..<2).map { _ in Pod(auth, in: self.store(server)) }
            try await auth.expire(for: pods)
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

    /// Many faults on times that are twenty times as short as usual: `.ci/proofs fleet-soak`.
    @Suite(
        "Logins over faults at random",
        .enabled(if: TestRounds.given != nil, "TEST_ROUNDS is the number of episodes"),
        .needsServer,
        .timeLimit(.minutes(30)),
        .paced
    )
    struct FleetSoakTests {
        private static let episodes = TestRounds.count(2)
        private static let seed = TestRounds.seed(1)

        private typealias Ends = (counts: [String: Int], longest: Duration)

        @Test("no refresh token comes twice, no call waits for long, and all of them work when the faults are over")
        func soak() async throws {
            var random = SplitMix64(seed: Self.seed)
            var (ends, spends, lost, longest) = ([String: Int](), 0, 0, Duration.zero)
            for episode in 0..<Self.episodes {
                let server = try RealServer(keepsData: Bool.random(using: &random))
                defer { server.resume() }
                let proxies = try (0..<4).map { _ in try TcpProxy(to: server) }
                defer { for proxy in proxies { proxy.end() } }
                let auth = AuthServer()
                let pods = proxies.map { proxy in
                    let store = ValkeyStore(proxy.server, timeout: .milliseconds(50))
                    return Pod(auth, in: store, lease: .milliseconds(500), named: "episode \(episode)")
                }
                auth.expire()
                // Each has heard of the login before something happens to it.
                try await pods.call()
                let isOver = Locked(false)
                let found = await withTaskGroup(of: Ends.self) { group in
                    for pod in pods { group.addTask { await calls(pod, until: isOver) } }
                    await play(&random, server, proxies, auth, isOver)
                    var all: Ends = ([:], .zero)
                    for await one in group {
                        all.counts.merge(one.counts) { $0 + $1 }
                        all.longest = max(all.longest, one.longest)
                    }
                    return all
                }
                #expect(auth.doubles == 0, "episode \(episode)")
                let isLost = found.counts["userChanged"] != nil
                if !isLost { await expectAllWork(pods, auth, "episode \(episode)") }
                #expect(auth.doubles == 0, "episode \(episode), after its faults")
                ends.merge(found.counts) { $0 + $1 }
                (spends, lost, longest) = (spends + auth.spends, lost + (isLost ? 1 : 0), max(longest, found.longest))
            }
            #expect(spends > 0)
            // A lease for what may be under way, a second of a store that fails, another process's lease; and a busy machine.
            #expect(longest < .seconds(15), "\(longest)")
            print("\(Self.episodes) episodes: \(spends) refreshes, \(lost) sessions ended, longest \(longest), \(ends)")
        }

        /// Eight seconds of faults; then everything is as it should be.
        private func play(
            _ random: inout SplitMix64,
            _ server: RealServer,
            _ proxies: [TcpProxy],
            _ auth: AuthServer,
            _ isOver: Locked<Bool>
        ) async {
            let end = ContinuousClock.now + .seconds(8)
            while ContinuousClock.now < end {
                let proxy = proxies[Int.random(in: 0..<proxies.count, using: &random)]
                switch Int.random(in: 0..<9, using: &random) {
                case 0: proxy.set(.swallow)
                case 1: proxy.cut()
                case 2: proxy.set(.delay(.random(in: 0...60_000, using: &random)))
                case 3:
                    server.kill()
                    try? server.start()
                case 4: server.pause()
                case 5, 6: auth.expire()
                default:
                    server.resume()
                    proxy.set(.pass)
                }
                // Real time: faults last for a while.
                try? await Task.sleep(for: .milliseconds(.random(in: 0...120, using: &random)))
            }
            server.resume()
            for proxy in proxies { proxy.set(.pass) }
            // What was swallowed is never replied to.
            for proxy in proxies { proxy.cut() }
            isOver.withLock { $0 = true }
        }

        private func calls(_ pod: Pod, until isOver: Locked<Bool>) async -> Ends {
            var ends: Ends = ([:], .zero)
            while !isOver.withLock({ $0 }) {
                let start = ContinuousClock.now
                let error = await failure { try await pod.call() }
                ends.longest = max(ends.longest, ContinuousClock.now - start)
                ends.counts[error.map { "\($0.code)" } ?? "done", default: 0] += 1
                if error?.code == .userChanged { break }
                // Real time: who is told at once would ask again at once.
                try? await Task.sleep(for: .milliseconds(5))
            }
            return ends
        }

        private func expectAllWork(_ pods: [Pod], _ auth: AuthServer, _ comment: Comment) async {
            auth.expire()
            for pod in pods {
                var error: NetworkError?
                for _ in 0..<100 {
                    error = await failure { try await pod.call() }
                    guard error?.code == .tokenRefreshFailed else { break }
                    // Real time: a rest of the store goes by it.
                    try? await Task.sleep(for: .milliseconds(100))
                }
                // A refresh whose end nobody knows may come to light only now.
                #expect(error == nil || error?.code == .userChanged, comment)
            }
        }
    }
#endif
