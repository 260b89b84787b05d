#if os(Linux)
    import TestSupport
    import CoreNetKitFleet

    /// Played alone, since rates and restarts of real processes are no match for all other tests at once:
    /// `.ci/proofs fleet-processes`, with 1000 and `TEST_PROCESSES=8` for the closing note of a change.
    @Suite(
        "Several processes with one server as their store",
        .timeLimit(.minutes(10)),
        .paced,
        .serialized,
        .needsServer,
        .enabled(if: TestRounds.given != nil, "TEST_ROUNDS is the number of expiries")
    )
    struct FleetProcessTests {
        private static let rounds = TestRounds.count(60)
        private static let processes = TestRounds.processes(4)

        /// Processes with one server as their store, and with one server of tokens and of what they open.
        private final class Fleet {
            let store: RealServer
            let auth = AuthServer()
            let children: [FleetChild]
            private let server: LoopbackServer

            /// Starts processes that refresh, with a policy, or what other arguments say.
            init(_ count: Int, _ store: RealServer, policy: String = "", _ arguments: [String]? = nil) async throws {
                self.store = store
                server = try LoopbackServer(recording: .off) { [auth] request in
                    if request.path == "/token" {
                        guard let login = try? JSONDecoder().decode(Login.self, from: request.body) else {
                            return .status(400)
                        }
                        return try .json(encoding: auth.refreshed(login))
                    }
                    let token = request.headers["Authorization"] ?? ""
                    return token == "Bearer \(auth.valid)" ? .text(token) : .status(401)
                }
                let arguments = arguments ?? ["refresh", store.path("s"), server.url("").absoluteString, policy]
                children = try (0..<count).map { _ in try FleetChild(arguments) }
                for child in children { try #require(await child.line() == "ready") }
            }

            deinit { for child in children { child.end() } }

            /// What all of them say, or those after the first ones.
            func ask(_ line: String, after first: Int = 0) async -> [String?] {
                await withTaskGroup { group in
                    for child in children.dropFirst(first) { group.addTask { await child.ask(line) } }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }

            /// What all of them say, once none of them says that it may be repeated.
            func askAgain(_ line: String, times: Int) async -> [String?] {
                var said = await ask(line)
                for _ in 0..<times where said.contains("error tokenRefreshFailed") { said = await ask(line) }
                return said
            }

            func expectAllWork(_ said: [String?], _ round: Int, sourceLocation: SourceLocation = #_sourceLocation) {
                #expect(
                    said.allSatisfy { $0 == "ok Bearer \(auth.valid)" },
                    "round \(round): \(said)",
                    sourceLocation: sourceLocation
                )
            }

            /// How many requests they send between two times of day, and how many events they have.
            func send(for seconds: Double) async -> (count: Int, events: Int) {
                let start = Date().timeIntervalSince1970 * 1000 + 200
                let said = await ask("\(Int(start)) \(Int(start + seconds * 1000))")
                let numbers = said.map { ($0 ?? "").split(separator: " ").compactMap { Int($0) } }
                return (numbers.reduce(0) { $0 + ($1.first ?? 0) }, numbers.reduce(0) { $0 + ($1.last ?? 0) })
            }
        }

        @Test("an expiry is one refresh for all; no token is used twice", .needsProgram, arguments: RealServer.programs)
        func refreshes(_ program: String) async throws {
            let fleet = try await Fleet(Self.processes, try RealServer(program), policy: "end")
            let auth = fleet.auth
            var wrong = 0
            for round in 1...Self.rounds {
                auth.expire()
                fleet.expectAllWork(await fleet.ask("go"), round)
                if auth.spends != round { wrong += 1 }
            }
            #expect(wrong == 0)
            auth.expectSpent(Self.rounds)
            print(
                "refreshes: \(auth.spends) for \(Self.rounds) expiries of \(Self.processes) processes, doubled \(auth.doubles)"
            )
        }

        @Test(
            "a process killed around its request has the effect that the policy describes",
            .needsProgram,
            arguments: ["before", "after"],
            ["spend", "end"]
        )
        func killed(_ place: String, _ policy: String) async throws {
            let fleet = try await Fleet(3, try RealServer(), policy: policy)
            let (auth, first) = (fleet.auth, fleet.children[0])
            auth.expire()
            #expect(await first.ask("kill \(place)")?.hasPrefix("will ") == true)
            #expect(await first.ask("go") == nil)
            let said = await fleet.ask("go", after: 1)
            let sent = place == "after" ? 1 : 0
            if policy == "end" {
                #expect(said.allSatisfy { $0 == "error userChanged" }, "\(said)")
                #expect(auth.spends == sent)
            } else {
                #expect(said.allSatisfy { $0 == "ok Bearer \(auth.valid)" }, "\(said)")
                #expect(auth.spends == 1 + sent)
            }
        }

        @Test(
            "a process stopped around its request for longer than its lease has at most the effect that the policy describes",
            .needsProgram,
            arguments: ["before", "after"],
            ["spend", "end"]
        )
        func stopped(_ place: String, _ policy: String) async throws {
            let fleet = try await Fleet(3, try RealServer(), policy: policy)
            let (auth, first) = (fleet.auth, fleet.children[0])
            auth.expire()
            let reply = try #require(await first.ask("stop \(place)"))
            let pid = try #require(reply.split(separator: " ").last.flatMap { pid_t($0) })
            first.tell("go")
            // The others find the intention, wait for the end of its lease, and go on as the policy says.
            await until { Self.isStopped(pid) }
            let said = await fleet.ask("go", after: 1)
            kill(pid, SIGCONT)
            let late = await first.line()
            let sent = place == "after" ? 1 : 0
            if policy == "end" {
                #expect(said.allSatisfy { $0 == "error userChanged" }, "\(said)")
                // Stopped between the check and sending: its request may still come.
                #expect((sent...1).contains(auth.spends), "\(auth.spends)")
                #expect(auth.doubles == 0)
            } else {
                #expect(said.allSatisfy { $0?.hasPrefix("ok ") == true }, "\(said)")
                // What came late has ended the token that the others have: its own call may need one more.
                #expect((1 + sent...3).contains(auth.spends), "\(auth.spends)")
                #expect(auth.doubles <= 1)
            }
            #expect(late != nil, "it lives on, and its call ends")
            print("stopped \(place), \(policy): \(auth.spends) spent, \(auth.doubles) twice, then: \(late ?? "")")
        }

        private static func isStopped(_ pid: pid_t) -> Bool {
            let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            return text?.split(separator: ")").last?.hasPrefix(" T") == true
        }

        @Test("a server stopped beyond its timeout makes calls fail as retryable; nothing is used twice", .needsProgram)
        func serverStopped() async throws {
            let fleet = try await Fleet(3, try RealServer(), policy: "end")
            let (store, auth) = (fleet.store, fleet.auth)
            defer { store.resume() }
            for round in 1...3 {
                auth.expire()
                store.pause()
                let away = await fleet.ask("go")
                #expect(away.allSatisfy { $0 == "error tokenRefreshFailed" }, "round \(round): \(away)")
                #expect(auth.spends == round - 1)
                store.resume()
                fleet.expectAllWork(await fleet.askAgain("go", times: 20), round)
                #expect(auth.spends == round)
            }
            #expect(auth.doubles == 0)
        }

        @Test(
            "a server that is killed and comes back, with or without its data, lets no refresh token be used twice",
            .needsProgram,
            arguments: [true, false]
        )
        func restarted(keepsData: Bool) async throws {
            let fleet = try await Fleet(3, try RealServer(keepsData: keepsData), policy: "end")
            let (store, auth) = (fleet.store, fleet.auth)
            for round in 1...4 {
                auth.expire()
                if round.isMultiple(of: 2) {
                    store.kill()
                    try store.start()
                }
                // Where the server is not back for a process, its call fails as one that may be repeated.
                fleet.expectAllWork(await fleet.askAgain("go", times: 5), round)
                #expect(auth.spends == round)
            }
            #expect(auth.doubles == 0)
        }

        @Test(
            "all of them together keep a rate within 1 %, and do not exceed it while the store is away",
            .needsProgram,
            arguments: RealServer.programs
        )
        func rate(_ program: String) async throws {
            let store = try RealServer(program)
            let (rate, burst, seconds) = (1000, 50, 3.0)
            let fleet = try await Fleet(4, store, ["rate", store.path("s"), "\(rate)", "\(burst)", "4"])
            let sent = await fleet.send(for: seconds)
            let allowed = Double(rate) * seconds + Double(burst)
            print("rate: \(sent.count) of \(Int(allowed)), events \(sent.events)")
            #expect(Double(sent.count) <= allowed * 1.01)
            #expect(Double(sent.count) >= allowed * 0.97)
            store.kill()
            let away = await fleet.send(for: seconds)
            print("rate, away: \(away.count) of \(Int(allowed)), events \(away.events)")
            #expect(Double(away.count) <= allowed * 1.01)
            #expect(Double(away.count) >= allowed * 0.9)
            #expect(away.events >= 4)
            try store.start()
            let back = await fleet.send(for: seconds)
            print("rate, back: \(back.count) of \(Int(allowed)), events \(back.events)")
            // What was saved up in the store comes to the shares of the first second.
            #expect(Double(back.count) <= allowed * 1.01 + Double(burst))
            #expect(Double(back.count) >= allowed * 0.9)
        }

        @Test(
            "eight of them that always have calls have more than half of their share each, in ten seconds",
            .needsProgram,
            arguments: [(50, 10), (1000, 50)]
        )
        func fair(_ rate: Int, _ burst: Int) async throws {
            let store = try RealServer()
            let fleet = try await Fleet(8, store, ["rate", store.path("s"), "\(rate)", "\(burst)", "8"])
            let start = Date().timeIntervalSince1970 * 1000 + 500
            let said = await fleet.ask("\(Int(start)) \(Int(start + 10_000))")
            let sent = said.compactMap { $0?.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
            print("rate \(rate), burst \(burst): \(sent.sorted())")
            #expect(sent.count == 8)
            #expect(sent.allSatisfy { $0 >= rate * 10 / 16 }, "\(sent)")
        }

        @Test("a key is sent once, though the server stands still for longer than its timeout while seven wait for it")
        func holder() async throws {
            let server = try RealServer()
            defer { server.resume() }
            let sent = Recorder<String>()
            let transport = ClosureTransport { request in
                sent.record("")
                // Real time: the server stands still meanwhile.
                try await Task.sleep(for: .seconds(3))
                return .init(status: 201, body: .bytes(Data("made".utf8)), url: request.url)
            }
            let chains: [Chain<Data, String>] = (0..<8).map { _ in
                let store = ValkeyStore(server.unix, timeout: .milliseconds(300))
                let records = IdempotencyRecords(in: store, named: "test", sealing: .plain)
                return UrlChainsBuilder<String>(client: Client(transport: transport).idempotencyRecords(records))
                    .route(.post, host)
                    .set(headers: ["Idempotency-Key": "job"])
                    .build()
            }
            let calls = chains.map { chain in Task { try await chain.process(Data("body".utf8)) } }
            // Real time: all of them have seen the first one by then.
            try await Task.sleep(for: .seconds(1))
            server.pause()
            // Real time: longer than their timeout.
            try await Task.sleep(for: .milliseconds(500))
            server.resume()
            for call in calls { #expect(try await call.value == "made") }
            #expect(sent.values.count == 1)
        }
    }
#endif
