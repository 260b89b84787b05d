import TestSupport

private struct APIError: Error, Decodable, Equatable { let message: String }
private struct Own: Error, Equatable { let text: String, status: Int? }

@Suite("The error model of a client", .timeLimit(.minutes(10)), .paced)
struct ErrorModelTests {
    private static let refusal = #"{"message": "taken"}"#

    private func client(_ status: Int, _ text: String = refusal) -> Client {
        Client(transport: ClosureTransport(status: status, headers: [:], text)).mapFailure(as: APIError.self)
    }

    private func chain(_ client: Client) -> Chain<Void, Json> { builder(client).build() }

    private func builder(_ client: Client) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: client).route(.get, "https://a.test/")
    }

    @Test(
        "is thrown by each kind of chain, over a real connection",
        arguments: ["void", "model", "data", "stream", "file", "observer"]
    )
    func everyEnd(_ kind: String) async throws {
        let server = try LoopbackServer()
        server.on(.get, "/x", .json(Self.refusal, status: 409))
        let builder = UrlChainsBuilder<URL>(client: Client().mapFailure(as: APIError.self)).route(
            .get,
            server.url("/x")
        )
        let error = await #expect(throws: APIError.self) {
            switch kind {
            case "void": try await builder.build().process()
            case "model": let _: [String] = try await builder.build().process()
            case "data": let _: Data = try await builder.loadData().process()
            case "stream": let _: ResponseStream = try await builder.loadStream().process()
            case "file":
                let target = FileManager.default.temporaryDirectory.appending(path: "error-model-\(UUID().uuidString)")
                let _: Response<URL> = try await builder.download(to: target).process()
            default:
                let observer: Observer<Json> = builder.build().process()
                _ = try await observer.value
            }
        }
        #expect(error == APIError(message: "taken"))
    }

    @Test(
        "replaces no error whose body is not the model",
        arguments: [(500, "<html>"), (404, ""), (422, "{}"), (200, "<")]
    )
    func others(_ status: Int, _ text: String) async throws {
        let error = await #expect(throws: NetworkError.self) { try await chain(client(status, text)).process() }
        #expect(error?.status == status)
    }

    @Test("replaces neither values nor cancellation")
    func cancelled() async throws {
        #expect(try await chain(client(200)).process()["message"]?.string == "taken")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await chain(client(409)).process() as Json
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("is made after the policies: retry sees the refusal, and the log shows it")
    func afterPolicies() async throws {
        let clock = ManualClock()
        let trees = Recorder<LogTree>()
        let mock = MockTransport(clock: clock) { $0.on(.get, "/x", .json(Self.refusal, status: 503)) }
        let client = Client(transport: mock, clock: CallClock(clock), seed: 1).retry(.standard)
            .mapFailure(as: APIError.self)
            .log(to: ClosureSink { trees.record($0) })
        let chain: Chain<Void, Json> = UrlChainsBuilder(client: client).route(.get, "https://a.test/x").build()
        let time = Task { while !Task.isCancelled { try await clock.advanceToNextSleeper() } }
        defer { time.cancel() }
        await #expect(throws: APIError.self) { try await chain.process() }
        #expect(mock.requests.count > 1)
        await until { !trees.values.isEmpty }
        guard case .failed(let failure)? = trees.values.first?.outcome else {
            return #expect(Bool(false), "\(trees.values)")
        }
        #expect(failure.status == 503 && failure.attempt == mock.requests.count)
    }

    @Test("is left to the chain's own conversion, which gets the NetworkError, and applies to what that leaves")
    func ofChain() async throws {
        let own = chain(client(409)).mapError { Own(text: "own", status: $0.status) }
        #expect(await #expect(throws: Own.self) { try await own.process() } == Own(text: "own", status: 409))
        let left = chain(client(409)).mapError { $0 }
        await #expect(throws: APIError.self) { try await left.process() }
        let value = chain(client(409)).recover { error in Json(error.status ?? 0) }
        #expect(try await value.process().int == 409)
    }

    @Test(
        "can be made from the response itself, unless the closure finds none or throws",
        arguments: [(409, "taken", "taken"), (500, "", nil), (422, "no", nil), (200, "<", "<")]
            as [(Int, String, String?)]
    )
    func ofText(status: Int, body: String, text: String?) async throws {
        let client = client(status, body).mapFailure { response in
            if response.status == 422 { throw CancellationError() }
            let text = String(decoding: response.body, as: UTF8.self)
            return text.isEmpty ? nil : Own(text: text, status: response.status)
        }
        do {
            _ = try await chain(client).process() as Json
            Issue.record("no error")
        } catch let error as Own {
            #expect(error == Own(text: try #require(text), status: status))
        } catch {
            #expect(text == nil && error is NetworkError)
        }
    }

    @Test("can be replaced for a builder, made from the NetworkError, and removed")
    func replaced() async throws {
        let own: Chain<Void, Json> = builder(client(409)).mapFailure(as: APIError.self) { model, error in
            Own(text: model.message, status: error.status)
        }.build()
        #expect(await #expect(throws: Own.self) { try await own.process() } == Own(text: "taken", status: 409))
        let none: Chain<Void, Json> = builder(client(409)).mapFailure(as: Never.self).build()
        #expect(await #expect(throws: NetworkError.self) { try await none.process() }?.status == 409)
    }

    @Test("is read with the chain's coding, unless it has its own")
    func coding() async throws {
        struct Reason: Error, Decodable { let reasonText: String }
        let snake = JsonCoding(keys: .snakeCase)
        let plain = Client(transport: ClosureTransport(status: 422, headers: [:], #"{"reason_text": "late"}"#))
        await #expect(throws: Reason.self) {
            try await chain(plain.mapFailure(as: Reason.self, coding: snake)).process()
        }
        await #expect(throws: Reason.self) {
            try await chain(plain.set(coding: snake).mapFailure(as: Reason.self)).process()
        }
        await #expect(throws: NetworkError.self) { try await chain(plain.mapFailure(as: Reason.self)).process() }
    }

    @Test("of a call inside another one is the error of both")
    func nested() async throws {
        let inner = chain(client(409))
        let outer = chain(client(200)).map { _ in try await inner.process() as Json }
        await #expect(throws: APIError.self) { try await outer.process() }
    }

    @Test("does not hide from a token's refresh why its call failed")
    func refresh() async throws {
        let refused = chain(client(503))
        let tokens = TokenRefresher(origins: .any) { _ in
            _ = try await refused.process() as Json
            return AccessToken("t")
        }
        let caller = Client(transport: ClosureTransport(status: 200, headers: [:], "{}")).authorize(tokens)
        let error = await #expect(throws: NetworkError.self) {
            try await chain(caller.mapFailure(as: APIError.self)).process()
        }
        #expect(error?.code == .tokenRefreshFailed && error?.isRetryable == true)
        #expect((error?.cause as? NetworkError)?.status == 503)
    }

    @Test("reaches a listener that names it, and no listener of another type")
    func listeners() async throws {
        let events = Recorder<String>()
        let observer: Observer<Json> = chain(client(409)).process()
        observer
            .onError { (error: Own) in events.record("\(error)") }
            .onError { (error: APIError) in events.record(error.message) }
            .onError { (error: NetworkError) in events.record("\(error.code)") }
            .onError { error in events.record("\(type(of: error))") }
        _ = await ObserverRecorder().listen(to: observer).allEvents()
        #expect(events.values == ["taken", "nodeFailed", "APIError"])
    }
}
