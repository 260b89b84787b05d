import TestSupport

/// The limits that reach the transport: what is left of a deadline is the total of the exchange.
@Suite("Long transfers", .timeLimit(.minutes(10)), .paced)
struct LongTransferTests {
    enum Kind: String, CaseIterable {
        case stream, modelStream, download, fileUpload, streamUpload
        case model, data, nothing

        var takesItsTime: Bool { ![.model, .data, .nothing].contains(self) }
    }

    /// Content that is read while it is sent.
    struct Upload: RequestPayload, RawEncodable, DTOEncodable {
        typealias DTO = Upload
        typealias Raw = Upload
        let body: RequestBody

        func encoded(as encoding: ParametersEncoding, strategies: ParameterStrategies) -> EncodedPayload {
            EncodedPayload(body: body, contentType: "application/octet-stream")
        }

        func toRaw() -> Upload { self }
        func toDTO() -> Upload { self }
    }

    let requests = Recorder<TransportRequest>()

    private func call(_ kind: Kind, _ change: (UrlChainsBuilder<String>) -> UrlChainsBuilder<String>) async throws
        -> Timeouts
    {
        let file = FileManager.default.temporaryDirectory.appending(path: "transfer-\(UUID().uuidString)")
        let transport = ClosureTransport { request in
            requests.record(request)
            let isDownload = request.delivery == .file(file)
            return .init(status: 200, body: isDownload ? .file(file) : .bytes(Data("{}".utf8)), url: request.url)
        }
        let client = Client(transport: transport, clock: CallClock(ManualClock()))
        let builder = change(UrlChainsBuilder<String>(client: client)).route(.post, "http://a.test/")
        switch kind {
        case .stream: _ = try await builder.loadStream().process() as ResponseStream
        case .modelStream:
            let chain: Chain<User, ResponseStream> = builder.loadStream(sending: .json)
            _ = try await chain.process(User.ada) as ResponseStream
        case .download: _ = try await builder.download(to: file).process() as Response<URL>
        case .fileUpload: try await send(Upload(body: .file(file)), builder)
        case .streamUpload:
            try await send(Upload(body: .stream { AsyncThrowingStream<Data, any Error> { $0.finish() } }), builder)
        case .model: let _: Json = try await builder.build().process(User.ada)
        case .data: _ = try await builder.loadData().process() as Data
        case .nothing: try await builder.build().process()
        }
        return try #require(requests.values.last).timeouts
    }

    private func send(_ upload: Upload, _ builder: UrlChainsBuilder<String>) async throws {
        let chain: Chain<Upload, Void> = builder.build()
        try await chain.process(upload)
    }

    @Test("have an idle limit and no total one; others may take 60 s", arguments: Kind.allCases)
    func standard(kind: Kind) async throws {
        let timeouts = try await call(kind) { $0 }
        #expect(timeouts.total == (kind.takesItsTime ? nil : .seconds(60)))
        #expect(timeouts.idle == .seconds(30))
    }

    @Test("have the requested deadline, even if it is the default one", arguments: Kind.allCases)
    func asked(kind: Kind) async throws {
        for limit in [Duration.seconds(5), .seconds(60)] {
            #expect(try await call(kind) { $0.set(deadline: limit) }.total == limit)
        }
        #expect(try await call(kind) { $0.set(deadline: nil) }.total == nil)
        #expect(try await call(kind) { $0.set(timeouts: Timeouts(idle: .seconds(7))) }.idle == .seconds(7))
    }
}

@Suite("Calls that give a connection", .timeLimit(.minutes(10)), .paced)
struct DuplexCallTests {
    private final class Taken: Sendable {
        let requests = Locked<[TransportRequest]>([])
        let closes = Locked(0)
        let failure = Locked<TransportError?>(nil)
    }

    private func client(
        _ taken: Taken,
        status: Int = 101,
        clock: ManualClock = ManualClock(),
        delay: Duration = .zero
    ) -> Client {
        let transport = ClosureTransport { request in
            taken.requests.withLock { $0.append(request) }
            try await clock.sleep(for: delay)
            let duplex = DuplexStream(
                receive: {
                    if let failure = taken.failure.withLock({ $0 }) { throw failure }
                    return Data("hello".utf8)
                },
                send: { _ in if let failure = taken.failure.withLock({ $0 }) { throw failure } },
                close: { taken.closes.withLock { $0 += 1 } }
            )
            let body: ResponseBody = status == 101 ? .duplex(duplex) : .bytes(Data("no".utf8))
            return TransportResponse(status: status, body: body, url: request.url)
        }
        return Client(clock: CallClock(clock), seed: 1).set(transport: transport)
    }

    private func connect(_ client: Client) async throws -> DuplexStream {
        let chain: Chain<Void, DuplexPayload> = UrlChainsBuilder<String>(client: client)
            .route(.get, "http://localhost/socket").build()
        return try await chain.process().stream
    }

    @Test("accept a 101 as success, and end with the head: no deadline cuts the connection")
    func succeeds() async throws {
        let (taken, clock) = (Taken(), ManualClock())
        let client = client(taken, clock: clock).set(deadline: .seconds(5))
        let stream = try await connect(client)
        #expect(taken.requests.withLock { $0.first?.timeouts.total } == .seconds(5))
        clock.advance(by: .seconds(60))
        #expect(try await stream.receive() == Data("hello".utf8))
        try await stream.send(Data("x".utf8))
        #expect(taken.closes.withLock { $0 } == 0)
    }

    @Test("report any other status as an error", arguments: [400, 401, 404, 426, 503])
    func refused(_ status: Int) async throws {
        let error = await #expect(throws: NetworkError.self) { try await connect(client(Taken(), status: status)) }
        #expect(error?.status == status)
        #expect(error?.response?.body == Data("no".utf8))
    }

    @Test("report a later break as the call's error, which tells whether a byte was sent", arguments: [true, false])
    func breaks(isSafe: Bool) async throws {
        let taken = Taken()
        let stream = try await connect(client(taken))
        taken.failure.withLock {
            $0 = TransportError(.connectionLost, phase: .send, message: "cut", isSafeToResend: isSafe)
        }
        let sent = await #expect(throws: NetworkError.self) { try await stream.send(Data()) }
        #expect(sent?.code == .connectionLost && sent?.isSafeToResend == isSafe && sent?.phase == .send)
        let received = await #expect(throws: NetworkError.self) { try await stream.receive() }
        #expect(received?.code == .connectionLost)
    }

    @Test("close the connection when it is released")
    func drops() async throws {
        let taken = Taken()
        do { _ = try await connect(client(taken)) }
        #expect(taken.closes.withLock { $0 } == 1)
    }

    @Test("are not sent a second time if they are slow")
    func hedges() async throws {
        let (taken, clock) = (Taken(), ManualClock())
        let client = client(taken, clock: clock, delay: .seconds(5)).hedge(after: .seconds(1))
        let call = Task { try await connect(client) }
        for second in 1...5 {
            try await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            if second == 5 { _ = try await call.value }
        }
        #expect(taken.requests.withLock { $0.count } == 1)
    }
}

/// The connection of a response.
private struct DuplexPayload: ResponsePayload, RawDecodable, DTODecodable {
    typealias Raw = DuplexPayload
    typealias DTO = DuplexPayload
    static var accept: String { "*/*" }
    static var delivery: ResponseDelivery? { .duplex }
    let stream: DuplexStream

    init(response: TransportResponse) throws {
        guard case .duplex(let stream) = response.body else {
            throw TransportError(.invalidResponse, phase: .receive, message: "no connection")
        }
        self.stream = stream
    }

    static func from(raw: DuplexPayload) -> DuplexPayload { raw }
}
