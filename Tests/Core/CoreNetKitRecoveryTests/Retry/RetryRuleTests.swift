import TestSupport

@Suite("What is repeated", .timeLimit(.minutes(10)), .paced)
struct RetryRuleTests {
    private func attempts(
        _ wire: Wire,
        _ method: HTTPMethod = .get,
        metadata: [String: String] = [:],
        policy: RetryPolicy? = .standard
    ) async throws -> (count: Int, error: NetworkError?) {
        let chain = wire.chain(method) { $0.with(policy, at: .retry).set(metadata: metadata) }
        let error = try await wire.clock.running { await chain.failure }
        return (wire.count, error)
    }

    @Test("an unreadable response is the error of its attempt")
    func decoding() async throws {
        let wire = Wire { index, request in
            .init(status: index == 0 ? 503 : 200, body: .bytes(Data("{".utf8)), url: request.url)
        }
        let chain: Chain<Void, Json> = UrlChainsBuilder<String>(client: wire.client())
            .retry(.standard).route(.get, host).build()
        let error = try await wire.clock.running { await chain.failure }
        #expect(error?.code == .decodingFailed)
        #expect(error?.attempt == 2)
    }

    @Test("the standard policy and a policy of one's own repeat the statuses of the table")
    func defaults() {
        #expect(TransientStatus.statuses == [408, 425, 429, 500, 502, 503, 504])
        #expect(RetryPolicy.standard.statuses == TransientStatus.statuses)
        #expect(RetryPolicy(limit: 1).statuses == TransientStatus.statuses)
    }

    @Test("only transient statuses are repeated", arguments: 400...599)
    func statuses(status: Int) async throws {
        let wire = Wire(statuses: [status])
        let (count, error) = try await attempts(wire)
        let isPassing = TransientStatus.isTransient(status)
        #expect(count == (isPassing ? 3 : 1))
        #expect(error?.status == status)
        #expect(error?.attempt == count)
    }

    @Test(
        "methods are repeated by RFC 9110, others only with an idempotency key",
        arguments: [
            (HTTPMethod.get, true), (.head, true), (.options, true), (.trace, true), (.put, true),
            (.delete, true), (.post, false), (.patch, false), ("REPORT", true), ("LOCK", false),
        ]
    )
    func methods(method: HTTPMethod, isIdempotent: Bool) async throws {
        let plain = try await attempts(Wire(statuses: [503, 200]), method)
        #expect(plain.count == (isIdempotent ? 2 : 1))
        #expect((plain.error == nil) == isIdempotent)
        if let error = plain.error { #expect(error.message.contains("without Idempotency-Key")) }

        let keyed = try await attempts(Wire(statuses: [503, 200]), method, metadata: ["idempotency-key": "k"])
        #expect(keyed.count == 2)
        #expect(keyed.error == nil)
    }

    @Test(
        "transient wire failures are repeated, a POST only if the server cannot have seen it",
        arguments: [
            (TransportError.Code.cannotConnect, TransportError.Phase.connect, true, true),
            (.cannotResolveHost, .resolve, true, true), (.timedOut, .connect, true, true),
            (.connectionLost, .wait, true, false), (.connectionLost, .send, true, false),
            (.timedOut, .wait, true, false), (.timedOut, .receive, true, false), (.http2Failed, .wait, true, false),
            (.invalidRequest, .queue, false, false), (.pinMismatch, .tls, false, false),
            (.certificateUntrusted, .tls, false, false), (.responseTooLarge, .receive, false, false),
            (.invalidResponse, .receive, false, false), (.shutDown, .queue, false, false),
        ]
    )
    func wireFailures(
        code: TransportError.Code,
        phase: TransportError.Phase,
        repeatsGet: Bool,
        repeatsPost: Bool
    ) async throws {
        let error = TransportError(code, phase: phase, message: "scripted")
        #expect(try await attempts(Wire(failing: error, times: 1), .get).count == (repeatsGet ? 2 : 1))
        #expect(try await attempts(Wire(failing: error, times: 1), .post).count == (repeatsPost ? 2 : 1))
    }

    @Test("a body that cannot be resent is sent once")
    func streamedBody() async throws {
        let wire = Wire(statuses: [503])
        let node = RetryNode(next: StatusNode(next: TransportNode(wire)), client: wire.client())
        for isReplayable in [false, true] {
            let body = RequestBody.stream(isReplayable: isReplayable) { AsyncThrowingStream<Data, any Error> { nil } }
            let request = TransportRequest(method: .put, url: URL(string: host)!, body: body)
            let before = wire.count
            let error = try await wire.clock.running {
                await failure { _ = try await node.process(request, context: RequestContext()) }
            }
            #expect(wire.count - before == (isReplayable ? 3 : 1))
            #expect(error?.message.contains("cannot be sent a second time") == !isReplayable)
        }
    }

    @Test("the last error has its attempt's number and the errors before it")
    func history() async throws {
        let wire = Wire(statuses: [500, 502, 503])
        let error = try await attempts(wire).error
        #expect(error?.status == 503)
        #expect(error?.attempt == 3)
        #expect(error?.history.map(\.status) == [500, 502])
        #expect(error?.history.map(\.attempt) == [1, 2])
        #expect(error?.description.contains("(attempt 3)") == true)
    }

    @Test("without the option nothing is repeated, and the builder's nil switches the client's policy off")
    func off() async throws {
        #expect(try await attempts(Wire(statuses: [503]), policy: nil).count == 1)
        let wire = Wire(statuses: [503])
        let client = wire.client().retry(.standard)
        let builder = UrlChainsBuilder<String>(client: client).route(.get, host)
        _ = try await wire.clock.running { await builder.build().failure }
        #expect(wire.count == 3)
        _ = await builder.without(.retry).build().failure
        #expect(wire.count == 4)
    }

    @Test("the hook has the last word: it stops, it repeats what the rules would not, and it sets the wait")
    func hook() async throws {
        let stop = RetryPolicy(decide: { _, _ in nil })
        #expect(try await attempts(Wire(statuses: [503]), policy: stop).count == 1)

        let planned = Recorder<Bool>()
        let teapot = RetryPolicy(
            limit: 3,
            decide: { failure, wait in
                planned.record(wait == nil)
                return failure.status == 418 ? .seconds(7) : wait
            }
        )
        let wire = Wire(statuses: [418, 418, 200])
        let (count, error) = try await attempts(wire, .post, policy: teapot)
        #expect(count == 3)
        #expect(error == nil)
        #expect(wire.times == [.zero, .seconds(7), .seconds(14)])
        #expect(planned.values == [true, true])
        #expect(try await attempts(Wire(statuses: [418]), .post, policy: teapot).count == 4)
    }

    @Test(
        "a POST is repeated after a 429 with Retry-After only if the policy takes the risk, and after nothing else",
        arguments: [
            (429, "7", true), (429, "0", true), (429, "61", false), (429, "soon", false), (429, nil, false),
            (503, "7", false), (425, "7", false), (500, "7", false), (404, "7", false),
        ] as [(Int, String?, Bool)]
    )
    func risk(status: Int, field: String?, isRepeated: Bool) async throws {
        let reply: Wire.Reply = { index, request in
            let headers: Headers = field.map { ["Retry-After": $0] } ?? [:]
            return .init(status: index == 0 ? status : 200, headers: headers, url: request.url)
        }
        #expect(try await attempts(Wire(ManualClock(), reply), .post).count == 1)
        let wire = Wire(ManualClock(), reply)
        let (count, error) = try await attempts(wire, .post, policy: RetryPolicy(retriesUnsafeMethodsAfter429: true))
        #expect(count == (isRepeated ? 2 : 1))
        #expect((error == nil) == isRepeated)
        if isRepeated, let field { #expect(wire.times[1] >= .seconds(Int(field) ?? 0)) }
    }

    @Test("the risk changes no other limit: attempts, statuses, budget, deadline and a body that cannot be resent")
    func riskLimits() async throws {
        let refusing: Wire.Reply = { _, request in
            .init(status: 429, headers: ["Retry-After": "7"], url: request.url)
        }
        let risky = RetryPolicy(retriesUnsafeMethodsAfter429: true)
        #expect(try await attempts(Wire(ManualClock(), refusing), .post, policy: risky).count == 3)
        let other = RetryPolicy(statuses: [503], retriesUnsafeMethodsAfter429: true)
        #expect(try await attempts(Wire(ManualClock(), refusing), .post, policy: other).count == 1)
        let wire = Wire(ManualClock(), refusing)
        let client = wire.client(budget: RetryBudget(ratio: 0, floor: 0)).retry(risky)
        let error = await client.chain(.post).failure
        #expect(wire.count == 1 && error?.message.contains("budget") == true)
        let late = await wire.client().retry(risky).set(deadline: .seconds(5)).chain(.post).failure
        #expect(wire.count == 2 && late?.message.contains("deadline") == true)
        let stream = RequestBody.stream(isReplayable: false) { AsyncThrowingStream<Data, any Error> { nil } }
        let streamed = TransportRequest(method: .post, url: try #require(URL(string: host)), body: stream)
        let next = StatusNode(next: TransportNode(wire))
        let node = RetryNode(next: next, policy: risky, parts: wire.client().configuration.parts)
        let unsent = await failure { _ = try await node.process(streamed, context: RequestContext()) }
        #expect(wire.count == 3 && unsent?.message.contains("cannot be sent a second time") == true)
    }

    @Test("a call's key is the same on all attempts, another for the next call, and absent if not needed")
    func idempotencyKey() async throws {
        let wire = Wire(statuses: [503, 503, 200])
        let client = wire.client().retry(.standard)
        try await wire.clock.running {
            for method in [HTTPMethod.post, .post, .put] {
                try await client.chain(method) { $0.idempotencyKey() }.process()
            }
            try await client.chain(.patch) { $0.idempotencyKey().set(metadata: ["Idempotency-Key": "mine"]) }.process()
        }
        let keys = wire.entries.map { $0.request.headers["Idempotency-Key"] }
        #expect(keys.count == 6)
        #expect(Set(keys[0...2]).count == 1)
        #expect(keys[0] != nil && keys[3] != nil && keys[0] != keys[3])
        #expect(keys[4] == nil)
        #expect(wire.entries[5].request.headers[values: "Idempotency-Key"] == ["mine"])
    }

    @Test("the record names each failed attempt and the wait after it")
    func record() async throws {
        let wire = Wire(statuses: [503, 200])
        let sink = RecordingSink()
        let chain = wire.chain { $0.retry(RetryPolicy(decide: { _, _ in .seconds(2) })).log(to: sink) }
        try await wire.clock.running { try await chain.process() }
        let line = "warning RetryNode: attempt 1 failed: unacceptableStatus; the next one in 2000.000 ms"
        #expect(try await sink.waitForLogTrees(1)[0].description.contains(line))
    }
}
