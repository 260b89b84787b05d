import CoreNetKitCurl
import TestSupport

@Suite("Every transport: content that fails behind its head", .timeLimit(.minutes(10)), .paced)
struct BrokenContentTests {
    enum Break: String, CaseIterable, Sendable {
        case cut, reset, stall, chunk, coding, large

        func code(_ subject: Subject) -> TransportError.Code {
            switch self {
            // A server that cannot go on resets the stream.
            case .chunk where subject == .http2: .http2Failed
            case .cut, .reset: .connectionLost
            case .stall: .timedOut
            case .chunk: .invalidResponse
            case .coding: .decompressionFailed
            case .large: .responseTooLarge
            }
        }

        /// Content above a limit fails where there is one: the rest has 64 MiB, or none.
        var forms: [Form] { self == .large ? [.collect] : Form.allCases }

        func reply(_ status: Int) -> LoopbackResponse {
            var reply = LoopbackResponse.text("0123456789", status: status)
                .header("X-Kind", "known").header("Location", "/elsewhere")
            switch self {
            case .cut: reply = reply.fault(.close(.inBody(5)))
            case .reset: reply = reply.fault(.reset(.inBody(5)))
            case .stall: reply = reply.fault(.stall(.inBody(5)))
            case .chunk: reply = reply.fault(.badChunk)
            case .coding: reply = reply.header("Content-Encoding", "gzip")
            case .large: break
            }
            return reply
        }

        func script(_ status: Int) -> MockResponse {
            let start = MockResponse.text(self == .large ? "0123456789" : "01234", status: status)
                .header("X-Kind", "known").header("Location", "/elsewhere")
            return switch self {
            case .large: start
            case .stall: start.thenStalling()
            case .cut, .reset, .chunk, .coding: start.thenFailing(code(.mock))
            }
        }
    }

    enum Form: CaseIterable, Sendable {
        case collect, discard, file, stream
    }

    static let subjects = Subject.all.filter { $0 != .http3 }

    static let limits = Timeouts(
        connect: .seconds(50),
        firstByte: .seconds(50),
        idle: .milliseconds(200),
        total: .seconds(55)
    )

    @Test("has the status: of a refusal as a response, of a success as an error", arguments: subjects, Break.allCases)
    func table(_ subject: Subject, _ broken: Break) async throws {
        for status in [200, 302, 404, 503] where status != 302 || !subject.differs(.failedRedirect) {
            let peer = try Peer(subject, broken.reply(status), onMock: broken.script(status))
            // Nothing decodes the content of a success that is discarded.
            let isDropped = broken == .coding && status == 200 && subject.isCurl
            for form in broken.forms where !(isDropped && form == .discard) {
                try await check(peer, broken, status, form)
            }
        }
    }

    private func check(_ peer: Peer, _ broken: Break, _ status: Int, _ form: Form) async throws {
        let directory = try TemporaryFolder()
        let limit = broken == .large ? 4 : 64 << 20
        let delivery: ResponseDelivery =
            switch form {
            case .collect: .collect(limit: limit)
            case .discard: .discard
            case .file: .file(directory["out"])
            case .stream: .stream
            }
        let what: Comment = "\(peer.subject.rawValue), \(status) \(form)"
        let found: TransportResponse
        do {
            let response = try await peer.send(timeouts: Self.limits, delivery: delivery)
            if form == .stream {
                #expect(response.status == status && response.contentFailure == nil, what)
                let error = await #expect(throws: TransportError.self) { try await response.body.collect() }
                #expect(error?.code == broken.code(peer.subject), what)
                return
            }
            #expect(status >= 300, what)
            let failure = try #require(response.contentFailure, what)
            #expect(failure.code == broken.code(peer.subject) && failure.response?.status == status, what)
            found = response
        } catch let error as TransportError {
            #expect(status == 200 && form != .stream, what)
            #expect(error.code == broken.code(peer.subject) && error.phase == .receive && !error.isSafeToResend, what)
            found = try #require(error.response, what)
        }
        #expect(found.status == status && found.headers["X-Kind"] == "known" && !found.isDelimited, what)
        #expect(directory.names == [], what)
        guard form == .collect, peer.subject != .urlSession else { return }
        let arrived = broken == .cut || broken == .reset || broken == .stall ? "01234" : nil
        if let arrived { #expect(found.body.data == Data(arrived.utf8), what) }
    }

    @Test("stays a cancellation, or the end of the time for the call", arguments: subjects)
    func ends(_ subject: Subject) async throws {
        let peer = try Peer(subject, Break.stall.reply(404), onMock: Break.stall.script(404))
        for form in [ResponseDelivery.collect, .discard] {
            let error = await withLongerLimits(until: { (error: TransportError?) in error?.response != nil }) { limit in
                await #expect(throws: TransportError.self) {
                    try await peer.send(timeouts: Timeouts(idle: .seconds(50), total: limit), delivery: form)
                }
            }
            #expect(error?.code == .timedOut && error?.response?.status == 404)
        }
        let call = Task { try await peer.send() }
        if subject == .mock {
            await until { peer.seen.count >= 3 }
        } else {
            try await peer.server().wait { $0.stalls >= 3 }
        }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    #if os(Linux)
        @Test("is decoded as far as it arrived", arguments: Subject.all.filter(\.isCurl))
        func coded(_ subject: Subject) async throws {
            let sample = try #require(Compressed.samples.first { $0.encoding == "gzip" })
            for count in [sample.bytes.count - 4, 20, 0] {
                let reply = LoopbackResponse(
                    status: 500,
                    headers: ["Content-Encoding": "gzip"],
                    body: .data(Data(sample.bytes))
                )
                let peer = try Peer(subject, reply.fault(.close(.inBody(count))))
                let response = try await peer.send()
                #expect(response.status == 500 && response.contentFailure?.code == .connectionLost)
                let text = String(decoding: response.body.data ?? Data(), as: UTF8.self)
                #expect(Compressed.text.hasPrefix(text))
                if count == sample.bytes.count - 4 { #expect(text == Compressed.text) }
            }
        }

        @Test("keeps the connection only behind the end of its framing", arguments: Subject.all.filter(\.isCurl))
        func connections(_ subject: Subject) async throws {
            for (broken, count) in [(Break.coding, 1), (.cut, 2), (.chunk, subject == .http2 ? 1 : 2)] {
                let peer = try Peer(subject, broken.reply(404), isFresh: true)
                for _ in 0..<2 {
                    #expect(try await peer.send(timeouts: Self.limits).contentFailure?.code == broken.code(subject))
                }
                #expect(try peer.server().counts.connections == count, "\(broken)")
            }
        }

        @Test("of a refusal that nobody wanted ends at 64 MiB", arguments: Subject.all.filter(\.isCurl))
        func large(_ subject: Subject) async throws {
            let piece = Data(count: 1 << 20)
            let directory = try TemporaryFolder()
            var reply = LoopbackResponse.stream { $0 < 80 ? piece : nil }
            reply.status = 503
            let server = try LoopbackServer { [reply] _ in reply }
            // A busy machine needs longer for so much than a caller waits for a reason.
            var configuration = subject.configuration
            configuration.errorTimeout = .seconds(600)
            let transport = CurlTransport(configuration: configuration)
            for delivery in [ResponseDelivery.discard, .file(directory["out"])] {
                let response = try await transport.send(TransportRequest(url: server.url("/"), delivery: delivery))
                #expect(response.status == 503 && response.contentFailure?.code == .responseTooLarge)
                #expect((response.body.data?.count ?? 0) <= 64 << 20)
            }
        }
    #endif
}
