#if os(Linux)
    import CoreNetKitFleet
    import CoreNetKitMock
    import CoreNetKitSharedStore
    import CoreNetKitSystem
    import TestPace
    import TestSupport
    import Testing

    @Suite("A lease that was granted when its caller had gone", .timeLimit(.minutes(10)), .paced)
    struct LostLeaseTests {
        private let key = SharedKey(kind: "test", "one")

        @Test("is released by a guarded store")
        func guarded() async throws {
            let (clock, began, gate) = (ManualClock(), Signal(), Signal())
            let local = LocalStore(clock: clock)
            let slow = WatchedStore(local)
            slow.on(.lease, .after) { _ throws(SharedStoreError) in
                began.signal()
                await gate.wait()
            }
            let store = GuardedStore(slow, timeout: .milliseconds(20), clock: clock)
            let call = Task { try await store.lease(key, for: .seconds(60)) }
            await began.wait()
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(20))
            await #expect(throws: SharedStoreError.self) { try await call.value }
            gate.signal()
            await until { slow.done(.release) == 1 }
            #expect(try await local.lease(key, for: .seconds(60)) != nil)
        }

        @Test(
            "is released by a store on a server, which was slow to grant it",
            .enabled(if: !RealServer.programs.isEmpty, RealServer.missing),
            arguments: RealServer.programs
        )
        func server(_ program: String) async throws {
            let server = try RealServer(program)
            defer { server.resume() }
            let (slow, other) = (
                ValkeyStore(server.unix, timeout: .milliseconds(300)), ValkeyStore(server.unix, timeout: .seconds(5))
            )
            _ = try await other.read(key)
            // A busy machine may need longer than its timeout for the connection.
            while (try? await slow.lease(SharedKey(kind: "test", "connected"), for: .milliseconds(1))) == nil {}
            server.pause()
            let error = await #expect(throws: SharedStoreError.self) { try await slow.lease(key, for: .seconds(300)) }
            #expect(error?.code == .timedOut)
            server.resume()
            var lease = try await other.lease(key, for: .seconds(1))
            while lease == nil {
                // Real time: it is the server's.
                try await Task.sleep(for: .milliseconds(20))
                lease = try await other.lease(key, for: .seconds(1))
            }
        }
    }
#endif
