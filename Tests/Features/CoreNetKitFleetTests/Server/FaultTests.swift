#if os(Linux)
    import TestSupport
    import CoreNetKitFleet

    /// One after the other: what is measured is how long calls take, and they are not to wait for each other.
    @Suite("A failing server", .needsServer, .timeLimit(.minutes(10)), .paced, .serialized)
    struct FaultTests {
        /// Long, so that a busy machine does not look like a failing server.
        private static let timeout = Duration.seconds(1)
        private let key = SharedKey(kind: "test", "one")

        private struct Outcomes {
            var codes: [SharedStoreError.Code: Int] = [:]
            var longest = Duration.zero
            var total = Duration.zero
            /// How much later than it asked for a task was woken meanwhile: a busy machine is not the store's fault.
            var lateness = Duration.zero
        }

        private func calls(_ count: Int, _ store: ValkeyStore) async -> Outcomes {
            let pulse = Task { await Self.lateness() }
            var outcomes = await outcomes(of: count, store)
            pulse.cancel()
            outcomes.lateness = await pulse.value
            return outcomes
        }

        /// The longest that a task was woken too late, until it is cancelled.
        private static func lateness() async -> Duration {
            let (clock, pause) = (ContinuousClock(), Duration.milliseconds(20))
            var longest = Duration.zero
            while !Task.isCancelled {
                let start = clock.now
                // Real time: it is what is measured.
                try? await Task.sleep(for: pause)
                longest = max(longest, clock.now - start - pause)
            }
            return longest
        }

        private func outcomes(of count: Int, _ store: ValkeyStore) async -> Outcomes {
            var outcomes = Outcomes()
            let clock = ContinuousClock()
            for index in 0..<count {
                let start = clock.now
                do throws(SharedStoreError) {
                    switch index % 4 {
                    case 0: _ = try await store.read(key)
                    case 1: _ = try await store.write(key, Data("x".utf8), ifVersion: nil, for: .seconds(60))
                    case 2: _ = try await store.lease(key, for: .seconds(60))
                    default: _ = try await store.takeTokens(1, from: SharedBucket(key, tokens: 1, burst: 1))
                    }
                } catch {
                    outcomes.codes[error.code, default: 0] += 1
                }
                let length = clock.now - start
                outcomes.total += length
                outcomes.longest = max(outcomes.longest, length)
            }
            return outcomes
        }

        /// That calls wait for the timeout three times at most, for the probes of rests that are over, and not otherwise.
        private func expectSkipped(_ outcomes: Outcomes, of count: Int) {
            #expect(outcomes.longest <= Self.timeout * 2 + outcomes.lateness * 4, "\(outcomes)")
            #expect(outcomes.total <= Self.timeout * 8 + outcomes.lateness * 40, "\(outcomes)")
            #expect((outcomes.codes[.unavailable] ?? 0) >= count - 8, "\(outcomes)")
        }

        /// That the store is in use again within some rests.
        private func expectBack(_ store: ValkeyStore, within limit: Duration = .seconds(60)) async {
            let clock = ContinuousClock()
            let start = clock.now
            while clock.now - start < limit {
                if (try? await store.read(key)) != nil { return }
                if (try? await store.write(key, Data(), ifVersion: nil, for: .seconds(60))) != nil { return }
                // Real time: a rest goes by the same clock as the server's.
                try? await Task.sleep(for: .milliseconds(20))
            }
            Issue.record("the store did not come back")
        }

        @Test("that hangs costs three calls their timeout, and is used again when it recovers")
        func stopped() async throws {
            let server = try RealServer()
            defer { server.resume() }
            let store = ValkeyStore(server.tcp, timeout: Self.timeout)
            await expectBack(store)
            server.pause()
            expectSkipped(await calls(2000, store), of: 2000)
            server.resume()
            await expectBack(store)
            #expect(await calls(20, store).codes.isEmpty)
        }

        @Test("that hangs makes all concurrent calls wait for their timeout and no longer")
        func stoppedTogether() async throws {
            let server = try RealServer()
            defer { server.resume() }
            let store = ValkeyStore(server.unix, timeout: Self.timeout)
            await expectBack(store)
            server.pause()
            let pulse = Task { await Self.lateness() }
            let longest = try await concurrently(200) { _ in await outcomes(of: 4, store).longest }.max() ?? .zero
            pulse.cancel()
            let lateness = await pulse.value
            #expect(longest <= Self.timeout * 2 + lateness * 4, "\(lateness)")
            server.resume()
            await expectBack(store)
        }

        @Test("whose packets are lost is left for another connection, and used again when they are not")
        func swallowed() async throws {
            let server = try RealServer()
            let proxy = try TcpProxy(to: server)
            defer { proxy.end() }
            let store = ValkeyStore(proxy.server, timeout: Self.timeout)
            #expect(await calls(8, store).codes.isEmpty)
            proxy.set(.swallow)
            expectSkipped(await calls(2000, store), of: 2000)
            proxy.set(.pass)
            // What was swallowed is never replied to: only another connection helps.
            await expectBack(store)
            #expect(await calls(20, store).codes.isEmpty)
        }

        @Test("that is slow gives no call another one's reply")
        func slow() async throws {
            let server = try RealServer()
            let proxy = try TcpProxy(to: server)
            defer { proxy.end() }
            let writer = ValkeyStore(server.unix, timeout: .seconds(60))
            let keys = (0..<20).map { SharedKey(kind: "test", "\($0)") }
            for key in keys { _ = try await writer.write(key, Data(key.text.utf8), ifVersion: nil, for: .seconds(60)) }
            let store = ValkeyStore(proxy.server, timeout: .milliseconds(60))
            for round in 0..<4 {
                proxy.set(round.isMultiple(of: 2) ? .delay(40_000) : .delay(90_000))
                try await concurrently(keys.count) { number in
                    guard let found = try? await store.read(keys[number]) else { return }
                    #expect(found.bytes == Data(keys[number].text.utf8))
                }
            }
            proxy.set(.pass)
            await expectBack(store)
        }

        @Test("that breaks connections fails running calls, and nothing else")
        func cut() async throws {
            let server = try RealServer()
            let proxy = try TcpProxy(to: server)
            defer { proxy.end() }
            let store = ValkeyStore(proxy.server, timeout: .seconds(60))
            for _ in 0..<10 {
                await expectBack(store)
                #expect(await calls(8, store).codes.isEmpty)
                proxy.cut()
            }
        }

        @Test("that is gone costs only the attempts, and its return is noticed without a call")
        func gone() async throws {
            let server = try RealServer()
            let store = ValkeyStore(server.unix, timeout: Self.timeout)
            var changes = store.changes(of: "test").makeAsyncIterator()
            #expect(await changes.next() == .all)
            server.kill()
            expectSkipped(await calls(2000, store), of: 2000)
            try server.start()
            #expect(await changes.next() == .all)
            await expectBack(store)
        }

        @Test("that fails at random loses no confirmed edit and makes no unsent one", arguments: TestRounds.seeds(1))
        func random(seed: Int) async throws {
            let server = try RealServer(keepsData: true)
            let proxy = try TcpProxy(to: server)
            defer { proxy.end() }
            let stores = (0..<4).map { _ in ValkeyStore(proxy.server, timeout: .milliseconds(200)) }
            let direct = ValkeyStore(server.unix, timeout: .seconds(60))
            _ = try await direct.write(key, Data("0".utf8), ifVersion: 0, for: .seconds(600))
            let clock = ContinuousClock()
            let end = clock.now + .seconds(3)
            let (done, perhaps) = await withTaskGroup(of: (Int, Int).self) { group in
                for store in stores { group.addTask { await increments(store, until: end) } }
                var random = SplitMix64(seed: UInt64(seed))
                while clock.now < end {
                    switch Int.random(in: 0..<6, using: &random) {
                    case 0: proxy.set(.swallow)
                    case 1: proxy.cut()
                    case 2: proxy.set(.delay(.random(in: 0...80_000, using: &random)))
                    case 3:
                        server.kill()
                        try? server.start()
                    default: proxy.set(.pass)
                    }
                    // Real time: faults last for a while.
                    try? await Task.sleep(for: .milliseconds(.random(in: 0...150, using: &random)))
                }
                var sum = (0, 0)
                for await (done, perhaps) in group { sum = (sum.0 + done, sum.1 + perhaps) }
                return sum
            }
            let found = try await direct.read(key).flatMap { Int(String(decoding: $0.bytes, as: UTF8.self)) }
            let count = try #require(found)
            #expect(count >= done, "what was confirmed is there")
            #expect(count <= done + perhaps, "what was not sent is not there")
            #expect(done > 0)
        }

        /// Adds one over the version that was read, again and again: how often that was done, and how often perhaps.
        private func increments(_ store: ValkeyStore, until end: ContinuousClock.Instant) async -> (Int, Int) {
            var (done, perhaps) = (0, 0)
            while ContinuousClock.now < end {
                do throws(SharedStoreError) {
                    guard let value = try await store.read(key) else { continue }
                    let next = (Int(String(decoding: value.bytes, as: UTF8.self)) ?? 0) + 1
                    do throws(SharedStoreError) {
                        let bytes = Data("\(next)".utf8)
                        if try await store.write(key, bytes, ifVersion: value.version, for: .seconds(600)) != nil {
                            done += 1
                        }
                    } catch {
                        if error.mayBeDone { perhaps += 1 }
                    }
                } catch {
                    // Real time: who is told at once would ask again at once.
                    try? await Task.sleep(for: .milliseconds(5))
                }
            }
            return (done, perhaps)
        }

        @Test("for one process is available to the others", arguments: [0, 1])
        func others(which: Int) async throws {
            let server = try RealServer()
            let proxy = try TcpProxy(to: server)
            defer { proxy.end() }
            let stores = [proxy.server, server.unix].map { ValkeyStore($0, timeout: Self.timeout) }
            for store in stores { #expect(await calls(4, store).codes.isEmpty) }
            proxy.set(.swallow)
            let outcomes = await calls(200, stores[which])
            #expect(outcomes.codes.isEmpty == (which == 1))
        }
    }
#endif
