import TestSupport

@testable import CoreNetKitRecovery

@Suite("Policies and content that fails behind its head", .timeLimit(.minutes(10)), .paced)
struct BrokenContentTests {
    private static let url = "http://a.test/"
    private let quick = RetryPolicy(backoff: .exponential(base: .milliseconds(1), cap: .milliseconds(2)))

    /// A reply of five bytes that is cut off.
    private static func cut(_ status: Int) -> MockResponse {
        .text("01234", status: status).thenFailing(.connectionLost)
    }

    private static func mock(_ response: MockResponse) -> MockTransport {
        let mock = MockTransport()
        mock.on(.get, "/**", response)
        return mock
    }

    private func builder(_ mock: MockTransport) -> UrlChainsBuilder<String> {
        UrlChainsBuilder<String>(client: Client(transport: mock)).route(.get, Self.url)
    }

    @Test(
        "a refusal has the code of its status, what arrived, and the failure as its cause",
        arguments: [400, 404, 503]
    )
    func status(_ status: Int) async throws {
        let mock = Self.mock(Self.cut(status))
        for step in [
            { try await builder(mock).build().process() }, { _ = try await builder(mock).loadStream().process() },
        ] {
            let error = await failure(of: step)
            #expect(error?.code == NetworkError.Code(status: status) && error?.refusal?.status == status)
            #expect(error?.response?.body == Data("01234".utf8))
            #expect(error?.isRetryable == (status == 503) && error?.isSafeToResend == false)
            #expect((error?.cause as? TransportError)?.code == .connectionLost)
        }
    }

    @Test("a success is the same failure as without its status, and no refusal")
    func success() async throws {
        let mock = Self.mock(Self.cut(200))
        let text: Chain<Void, String> = builder(mock).build()
        let error = await text.failure
        #expect(error?.code == .connectionLost && error?.status == 200 && error?.refusal == nil)
        #expect(error?.isRetryable == true && error?.isSafeToResend == false && error?.phase == .receive)
        let stream = try await builder(mock).loadStream().process() as ResponseStream
        let broken = await failure { for try await _ in stream {} }
        #expect(broken?.code == .connectionLost && broken?.status == 200 && broken?.node == "TransportNode")
    }

    @Test("a chain that takes every status for a success throws the failure, with the status")
    func withoutStatus() async throws {
        let mock = Self.mock(Self.cut(404))
        let open = builder(mock).without(.status)
        let text: Chain<Void, String> = open.build()
        for step in [{ _ = try await text.process() }, { try await open.build().process() }] {
            let error = await failure(of: step)
            #expect(error?.code == .connectionLost && error?.status == 404)
        }
    }

    @Test("the end of the time for a call is one also behind a head, which the error has")
    func deadline() async throws {
        let server = try LoopbackServer { _ in .text("0123456789", status: 503).fault(.stall(.inBody(5))) }
        let builder = UrlChainsBuilder<URL>(client: Client()).route(.get, server.url("/")).retry(quick)
        let error = await withLongerLimits(until: { (error: NetworkError?) in error?.status != nil }) { limit in
            let chain: Chain<Void, Void> = builder.set(deadline: limit).build()
            return await chain.failure
        }
        #expect(error?.code == .deadlineExceeded && error?.status == 503 && error?.history.isEmpty == true)
    }

    @Test("a refusal is repeated by its status, a success as any broken exchange")
    func retry() async throws {
        for (status, count) in [(400, 1), (503, 3), (200, 3)] {
            let mock = Self.mock(Self.cut(status))
            let chain: Chain<Void, Void> = builder(mock).retry(quick).build()
            let error = await chain.failure
            #expect(mock.requests.count == count && error?.status == status && error?.history.count == count - 1)
        }
        let mock = Self.mock(Self.cut(429).header("Retry-After", "120"))
        let chain: Chain<Void, Void> = builder(mock).retry(quick).build()
        let error = await chain.failure
        #expect(mock.requests.count == 1 && error?.message.contains("120") == true)
    }

    @Test("a breaker counts a refusal by its status, and a success that breaks as a failure")
    func breaker() async throws {
        for (status, isOpen) in [(404, false), (503, true), (200, true)] {
            let mock = Self.mock(Self.cut(status))
            let breaker = CircuitBreaker(minimumCalls: 2)
            let chain: Chain<Void, Void> = builder(mock).breaker(breaker).build()
            for _ in 0..<2 { _ = await chain.failure }
            #expect(breaker.isOpen == isOpen, "\(status)")
        }
    }

    @Test("a token that is refused is renewed")
    func token() async throws {
        let mock = MockTransport()
        mock.on(.get, "/**") { request in
            request.headers["Authorization"] == "Bearer new" ? .text("ok") : Self.cut(401)
        }
        let tokens = TokenRefresher(token: AccessToken("old"), origins: [Self.url]) { _ in AccessToken("new") }
        let chain: Chain<Void, String> = builder(mock).authorize(tokens).build()
        #expect(try await chain.process() == "ok")
        #expect(mock.requests.count == 2)
    }

    @Test("a Digest challenge is met")
    func digest() async throws {
        let mock = MockTransport()
        mock.on(.get, "/**") { request in
            guard request.headers["Authorization"] == nil else { return .text("ok") }
            return Self.cut(401).header("WWW-Authenticate", #"Digest realm="r", nonce="n", qop="auth""#)
        }
        let chain: Chain<Void, String> = builder(mock)
            .authorize(user: "a", password: "b", byDigestTo: [Self.url]).build()
        #expect(try await chain.process() == "ok")
    }

    @Test("a redirect is followed", arguments: [302, 307])
    func redirect(_ status: Int) async throws {
        let mock = MockTransport()
        mock.on(.get, "/", Self.cut(status).header("Location", "/there"))
        mock.on(.get, "/there", .text("ok"))
        let chain: Chain<Void, String> = builder(mock).build()
        #expect(try await chain.process() == "ok")
    }

    @Test("a record has the head and the failure")
    func record() async throws {
        for (status, code) in [(404, "notFound"), (200, "connectionLost")] {
            let (mock, sink) = (Self.mock(Self.cut(status)), RecordingSink())
            let chain: Chain<Void, String> = builder(mock).record(to: sink).build()
            _ = await chain.failure
            let record = try #require(try await sink.waitForRecords(1).first)
            #expect(record.problems.isEmpty, "\(record.problems)")
            var (heads, ends): ([Int], [NetworkError.Code?]) = ([], [])
            for event in record.events {
                if case .responseHead(let head) = event.kind { heads.append(head.status) }
                if case .exchangeEnded(let end) = event.kind {
                    ends.append(end.code)
                    #expect(end.result == .failed && end.bytesRead == 5)
                }
            }
            #expect(heads == [status] && ends == [.connectionLost])
            guard case .failed(let failure) = record.outcome else {
                Issue.record("\(record.outcome)")
                continue
            }
            #expect("\(failure.code)" == code && failure.status == status)
        }
    }
}
