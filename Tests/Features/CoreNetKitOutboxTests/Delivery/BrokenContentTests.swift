import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("The outbox and content that fails behind its head", .timeLimit(.minutes(10)), .paced)
struct BrokenContentTests {
    static let codes: [TransportError.Code] = [
        .connectionLost, .invalidResponse, .decompressionFailed, .responseTooLarge, .timedOut,
    ]

    private static let cut = TransportError(.connectionLost, phase: .receive, message: "cut")

    private let outbox = Outbox.test(ModelFiles())

    private static func reply(_ status: Int, _ code: TransportError.Code = .connectionLost) -> MockResponse {
        .text("01234", status: status).thenFailing(code)
    }

    @Test("takes the status: a success is delivered, a refusal is final, a 401 pauses", arguments: codes)
    func statuses(_ code: TransportError.Code) async throws {
        for (status, isDead, waiting) in [(201, false, 0), (422, true, 0), (401, false, 1)] {
            let (outbox, mock) = (Outbox.test(ModelFiles()), MockTransport())
            mock.on(.post, "/**", Self.reply(status, code))
            let receipt = try await outbox.put("a", repetition: .byMethod)
            let state = try await outbox.drain(with: Client(transport: mock))
            #expect(mock.requests.count == 1, "\(status)")
            #expect(state.waiting == waiting, "\(status)")
            #expect(await outbox.deadLetters.all.map(\.state) == (isDead ? [.dead("status 422")] : []))
            guard status == 201 else { continue }
            let delivery = try await receipt.delivery()
            #expect(delivery.response.status == 201 && delivery.response.contentFailure?.code == code)
            let error = #expect(throws: NetworkError.self) { try delivery.model(as: Json.self) }
            #expect(error?.status == 201)
        }
    }

    @Test("an attempt that was accepted counts, whatever came of its repetition")
    func history() async throws {
        for last in [MockResponse.failure(.cannotConnect), .failure(.connectionLost), .status(422), .status(401)] {
            let (outbox, mock) = (Outbox.test(ModelFiles()), MockTransport())
            mock.on(.put, "/**", Self.reply(200), last)
            let receipt = try await outbox.put("a", method: .put, repetition: .byMethod)
            let policy = RetryPolicy(limit: 1, backoff: .exponential(base: .milliseconds(1), cap: .milliseconds(1)))
            _ = try await outbox.drain(with: Client(transport: mock).retry(policy))
            #expect(try await receipt.delivery().response.status == 200)
            #expect(mock.requests.count == 2)
        }
    }

    @Test("takes the status of a stream that a sender of its own gives, and of its transport's error")
    func ownSender() async throws {
        for status in [201, 422] {
            let outbox = Outbox.test(ModelFiles())
            try await outbox.put("a", repetition: .byMethod)
            let sent = Locked(0)
            try await outbox.deliver(until: nil, stopsWhenDone: true) { attempt in
                _ = sent.next()
                let stream = ResponseStream(next: { throw Self.cut }, cancel: {})
                return TransportResponse(status: status, body: .stream(stream), url: attempt.request.url)
            }
            #expect(sent.withLock { $0 } == 1)
            #expect(await outbox.deadLetters.all.count == (status == 422 ? 1 : 0))
        }
        let head = TransportResponse(status: 201, url: testURL)
        let error = #expect(throws: TransportError.self) { try head.failing(Self.cut) }
        let (outcome, _) = DeliveryOutcome.of(try #require(error), now: Date())
        #expect(outcome == .response(status: 201, retryAfter: nil, contentType: nil))
    }

    @Test("on a socket: a 422 that is cut does not block its queue, a 201 that is cut is not sent twice")
    func socket() async throws {
        let server = try LoopbackServer { request in
            let isBad = request.body == Data("bad".utf8)
            return .text("0123456789", status: isBad ? 422 : 201).fault(.close(.inBody(5)))
        }
        for body in ["bad", "good", "good too"] {
            try await outbox.put(body, in: "q", repetition: .byMethod, url: server.url("/"))
        }
        let state = try await outbox.drain(with: Client())
        #expect(state.waiting == 0)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["bad", "good", "good too"])
        #expect(await outbox.deadLetters.all.map(\.state) == [.dead("status 422")])
    }
}
