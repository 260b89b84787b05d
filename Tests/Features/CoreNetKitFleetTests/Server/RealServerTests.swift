#if os(Linux)
    import TestSupport
    @testable import CoreNetKitFleet
    import CoreNetKitSharedStoreConformance
    import Glibc
    import TestPrograms

    @Suite("A real server", .needsServer, .timeLimit(.minutes(10)), .paced)
    struct RealServerTests {
        /// Longer than what a busy machine needs: what is tested is what is said, not how soon.
        private static let timeout = Duration.seconds(60)
        private let key = SharedKey(kind: "test", "one")

        private func store(_ place: ValkeyStore.Server) -> ValkeyStore { ValkeyStore(place, timeout: Self.timeout) }

        private func connection(to server: RealServer) -> ValkeyConnection {
            let connector = ValkeyConnector(server.unix)
            return ValkeyConnection(connector, .hello(nil, name: ""), timeout: Self.timeout, clock: .continuous)
        }

        @Test("follows all rules, over each kind of connection", arguments: RealServer.programs)
        func rules(program: String) async throws {
            let server = try RealServer(program, isEncrypted: RealServer.hasOpenSSL)
            for place in [server.unix, server.tcp] + (RealServer.hasOpenSSL ? [server.tls] : []) {
                let findings = await SharedStoreConformance.check { store(place) }
                #expect(findings.isEmpty, "\(place): \(findings)")
            }
        }

        @Test("follows all rules for a user with only the documented rights", arguments: RealServer.programs)
        func rights(program: String) async throws {
            let rights =
                "+ping +hmget +eval +evalsha +client|tracking +client|setname +time +hget +hset +get +set +del +exists +pexpire"
            let server = try RealServer(
                program,
                "--user cnk on >secret ~{cnk:* \(rights) --user default off".split(separator: " ").map(String.init)
            )
            let credentials = ValkeyStore.Credentials(user: "cnk", password: "secret")
            let place = server.unix
            let findings = await SharedStoreConformance.check {
                ValkeyStore(place, credentials: credentials, timeout: Self.timeout)
            }
            #expect(findings.isEmpty, "\(findings)")
            for wrong in [nil, ValkeyStore.Credentials(user: "cnk", password: "other")] {
                let store = ValkeyStore(server.unix, credentials: wrong, timeout: Self.timeout)
                #expect(await failure(SharedStoreError.self) { _ = try await store.read(key) }?.code == .refused)
            }
        }

        @Test("is shared by all processes, and reports each one's changes to others", arguments: RealServer.programs)
        func shares(program: String) async throws {
            let server = try RealServer(program)
            let (one, two) = (store(server.unix), store(server.tcp))
            var changes = two.changes(of: "test").makeAsyncIterator()
            #expect(await changes.next() == .all)
            let version = try await one.write(key, Data("x".utf8), ifVersion: 0, for: .seconds(60))
            #expect(await changes.next() == .key(key))
            #expect(try await two.read(key)?.version == version)
            #expect(try await two.write(key, Data("y".utf8), ifVersion: 0, for: .seconds(60)) == nil)
            let lease = try await one.lease(key, for: .seconds(60))
            #expect(try await two.lease(key, for: .seconds(60)) == nil)
            try await two.release(try #require(lease))
            #expect(try await two.lease(key, for: .seconds(60)) != nil)
        }

        @Test("continues after a restart, with its scripts and changes", arguments: RealServer.programs, [true, false])
        func restart(program: String, keepsData: Bool) async throws {
            let server = try RealServer(program, keepsData: keepsData)
            let store = self.store(server.unix)
            var changes = store.changes(of: "test").makeAsyncIterator()
            #expect(await changes.next() == .all)
            let version = try #require(try await store.write(key, Data("x".utf8), ifVersion: 0, for: .seconds(60)))
            let lease = try #require(try await store.lease(key, for: .seconds(60)))
            #expect(await changes.next() == .key(key))
            server.kill()
            try server.start()
            #expect(await changes.next() == .all)
            let found = try await store.read(key)
            #expect(found?.version == (keepsData ? version : nil))
            let over = found?.version ?? 0
            let next = try #require(try await store.write(key, Data("y".utf8), ifVersion: over, for: .seconds(60)))
            #expect(next > version, "versions grow over the loss of all data")
            try await store.release(lease)
            let number = try #require(try await store.lease(key, for: .seconds(60))?.fencingToken)
            #expect(number > lease.fencingToken, "numbers of leases grow over the loss of all data")
        }

        @Test("gives larger numbers than an earlier server that is now empty", arguments: RealServer.programs)
        func another(program: String) async throws {
            let (first, second) = (try RealServer(program), try RealServer(program))
            var last: UInt64 = 0
            for _ in 0..<200 {
                for server in [first, second] {
                    let store = self.store(server.unix)
                    let lease = try #require(try await store.lease(key, for: .seconds(60)))
                    #expect(lease.fencingToken > last)
                    last = lease.fencingToken
                    try await store.release(lease)
                }
            }
        }

        @Test("whose clock was set back by a day continues with larger numbers", arguments: RealServer.programs)
        func setBack(program: String) async throws {
            let server = try RealServer(program)
            let store = self.store(server.unix)
            let connection = connection(to: server)
            // What was written before the clock was set back has a number that lies ahead.
            let version = try #require(try await store.write(key, Data("x".utf8), ifVersion: 0, for: .seconds(60)))
            let ahead = version + 86_400_000_000
            _ = try await connection.call(RESPCommand(["HSET", .text(key.text + "v"), "n", .text("\(ahead)")]))
            #expect(try await store.write(key, Data("y".utf8), ifVersion: ahead, for: .seconds(60)) == ahead + 1)
            #expect(try await store.remove(key, ifVersion: ahead + 1))
            #expect(try await store.write(key, Data("z".utf8), ifVersion: 0, for: .seconds(60)) == ahead + 2)
            _ = try await connection.call(RESPCommand(["SET", .text(key.text + "n"), .text("\(ahead)")]))
            let lease = try #require(try await store.lease(key, for: .seconds(60)))
            #expect(lease.fencingToken == ahead + 1)
            try await store.release(lease)
            #expect(try await store.lease(key, for: .seconds(60))?.fencingToken == ahead + 2)
        }

        @Test("carries over the remainder of a rate's division", arguments: RealServer.programs)
        func exact(program: String) async throws {
            let server = try RealServer(program)
            let store = self.store(server.unix)
            let connection = connection(to: server)
            let bucket = SharedBucket(key, tokens: 7, per: .seconds(1000), burst: 1, maximumWait: .seconds(3600))
            var ends: [Int64] = []
            for _ in 0..<15 {
                _ = try await store.takeTokens(1, from: bucket)
                let end = try await connection.call(RESPCommand(["HGET", .text(key.text + "b"), "f"])).number
                ends.append(try #require(end))
            }
            #expect(ends[7] - ends[0] == 1_000_000_000, "seven tokens are a period")
            #expect(ends[14] - ends[7] == 1_000_000_000)
            var level = BucketLevel()
            _ = level.take(1, of: bucket, at: ends[0] - 142_857_142)
            for end in ends.dropFirst() {
                _ = level.take(1, of: bucket, at: ends[0] - 142_857_142)
                #expect(level.fullAt == end, "the store in the process counts the same")
            }
        }

        @Test("that is part of a cluster is refused with a message that says so", arguments: RealServer.programs)
        func cluster(program: String) async throws {
            let port = try FreePort.find()
            let server = try RealServer(program, ["--cluster-enabled", "yes", "--cluster-port", "\(port)"])
            let store = self.store(server.tcp)
            let error = await #expect(throws: SharedStoreError.self) { try await store.read(key) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("cluster") == true)
        }

        @Test("with an unsigned certificate is not used", arguments: RealServer.programs)
        func untrusted(program: String) async throws {
            guard RealServer.hasOpenSSL else { return }
            let server = try RealServer(program, isEncrypted: true)
            let store = ValkeyStore(.tls(server.host, port: server.tlsPort), timeout: Self.timeout)
            let error = await #expect(throws: SharedStoreError.self) { try await store.read(key) }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("certificateUntrusted") == true, "\(String(describing: error))")
        }

        @Test("that is missing is reported with its place; an invalid place is an error")
        func missing() async throws {
            // Taken, and nobody listens.
            let (descriptor, port) = try FreePort.take()
            defer { close(descriptor) }
            let store = ValkeyStore(.tcp("127.0.0.1", port: port), timeout: Self.timeout)
            let error = await #expect(throws: SharedStoreError.self) { try await store.read(key) }
            #expect(error?.code == .unreachable)
            #expect(error?.message.contains("127.0.0.1:\(port)") == true)
            let places: [ValkeyStore.Server] = [
                .tcp("", port: 1), .tcp("a/b"), .tcp("a@b"), .tcp("h", port: 0), .tls("h", port: 65_536), .unix("s"),
                .unix("/" + String(repeating: "a", count: 107)),
            ]
            for place in places {
                let store = self.store(place)
                #expect(
                    await failure(SharedStoreError.self) { _ = try await store.read(key) }?.code == .invalid,
                    "\(place)"
                )
            }
        }
    }

    @Suite("A lease that was granted when its caller had gone", .timeLimit(.minutes(10)), .paced)
    struct LostLeaseTests {
        private let key = SharedKey(kind: "test", "one")

        @Test("is released by a guarded store")
        func guarded() async throws {
            let (clock, stop) = (ManualClock(), Stop())
            let local = LocalStore(clock: clock)
            let slow = WatchedStore(local)
            slow.on(.lease, .after) { _ throws(SharedStoreError) in await stop.pass() }
            let store = GuardedStore(slow, timeout: .milliseconds(20), clock: clock)
            let call = Task { try await store.lease(key, for: .seconds(60)) }
            await stop.isReached()
            try await clock.waitForSleepers(1)
            clock.advance(by: .milliseconds(20))
            await #expect(throws: SharedStoreError.self) { try await call.value }
            stop.open()
            await until { slow.done(.release) == 1 }
            #expect(try await local.lease(key, for: .seconds(60)) != nil)
        }

        @Test("is released by a store on a server that granted it late", .needsServer, arguments: RealServer.programs)
        func server(_ program: String) async throws {
            let server = try RealServer(program)
            defer { server.resume() }
            let slow = ValkeyStore(server.unix, timeout: .milliseconds(300))
            let other = ValkeyStore(server.unix, timeout: .seconds(60))
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
