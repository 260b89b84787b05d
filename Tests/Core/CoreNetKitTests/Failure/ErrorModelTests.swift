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
        let client = Client().mapFailure(as: APIError.self)
        let builder = UrlChainsBuilder<URL>(client: client).route(.get, server.url("/x"))
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
        await #expect(throws: APIError.self) { try await clock.passing { try await chain.process() } }
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
        let error = await failure { _ = try await chain(caller.mapFailure(as: APIError.self)).process() }
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

@Suite("A server's own errors, for a client, a chain and an observer", .timeLimit(.minutes(10)), .paced)
struct ErrorPlaceTests {
    enum Place: CaseIterable { case client, chain, observer }

    struct Problem: Error, Decodable, Equatable { let reasonText: String }

    private func chain(
        _ status: Int,
        _ text: String,
        coding: JsonCoding = .init(),
        _ change: (Client) -> Client = { $0 }
    ) -> Chain<Void, Json> {
        UrlChainsBuilder<String>(client: change(Client(transport: ClosureTransport(status: status, text))))
            .set(coding: coding).route(.get, "https://a.test/").build()
    }

    /// What a call fails with whose errors are converted at a place.
    private func error(
        _ place: Place,
        _ status: Int,
        _ text: String,
        coding: JsonCoding = .init(),
        own: JsonCoding? = nil
    ) async -> (any Error)? {
        let plain = chain(status, text, coding: coding)
        return await #expect(throws: (any Error).self) {
            switch place {
            case .client:
                let mapped = chain(status, text, coding: coding) { $0.mapFailure(as: Problem.self, coding: own) }
                _ = try await mapped.call()
            case .chain: _ = try await plain.mapFailure(as: Problem.self, coding: own).call()
            case .observer: _ = try await plain.observe().mapFailure(as: Problem.self, coding: own).value
            }
        }
    }

    @Test(
        "replace the NetworkError, read with the chain's own coding unless another is given",
        arguments: Place.allCases
    )
    func replaced(place: Place) async throws {
        let (text, snake) = (#"{"reason_text": "late"}"#, JsonCoding(keys: .snakeCase))
        let expected = Problem(reasonText: "late")
        #expect(await error(place, 422, text, own: snake) as? Problem == expected)
        #expect(await error(place, 422, text, coding: snake) as? Problem == expected)
        #expect(await error(place, 422, text, coding: snake, own: JsonCoding()) is NetworkError)
        let plain = await failure { _ = try await chain(422, text, coding: snake).call() }
        #expect(try plain?.decodeBody(as: Problem.self) == expected)
    }

    @Test(
        "leave an error without such a body unchanged",
        arguments: [(500, "<html>"), (404, ""), (422, "{}"), (409, #"{"other": 1}"#), (200, "<")],
        Place.allCases
    )
    func others(_ response: (status: Int, text: String), place: Place) async throws {
        let error = await error(place, response.status, response.text)
        #expect((error as? NetworkError)?.status == response.status)
    }

    @Test("can be made from the model and the error that contained it, by an observer on its delivery queue")
    func transformed() async throws {
        let chain = chain(409, #"{"reasonText": "taken"}"#)
        let own = chain.mapFailure(as: Problem.self) { Own(text: $0.reasonText, status: $1.status) }
        #expect(await #expect(throws: Own.self) { try await own.call() } == Own(text: "taken", status: 409))

        let key = DispatchSpecificKey<Int>()
        let queue = DispatchQueue(label: "ChainFailureTests.queue")
        queue.setSpecific(key: key, value: 7)
        let observer = chain.observe().dispatchOn(queue).mapFailure(as: Problem.self) { problem, error in
            Own(text: "\(problem.reasonText) \(error.status ?? 0)", status: DispatchQueue.getSpecific(key: key))
        }
        #expect(await #expect(throws: Own.self) { try await observer.value } == Own(text: "taken 409", status: 7))
    }

    @Test("leave values and errors of other types alone")
    func foreign() async throws {
        #expect(try await Observer.emit(data: 1).mapFailure(as: Problem.self).value == 1)
        let observer = Observer<Int>.emit(error: ObserverTestError.source).mapFailure(as: Problem.self)
        await #expect(throws: ObserverTestError.source) { try await observer.value }
    }
}
