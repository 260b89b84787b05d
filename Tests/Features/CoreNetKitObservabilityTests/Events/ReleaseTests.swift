import CoreNetKit
import CoreNetKitCache
import CoreNetKitChain
import CoreNetKitCookies
import CoreNetKitMock
import CoreNetKitObservability
import CoreNetKitRecovery
import CoreNetKitStreams
import CoreNetKitSystem
import Foundation
import TestPace
import TestSupport
import Testing

/// What is not released stays until the process ends, with its connections and files: nothing may hold itself.
@Suite("What a client's calls leave behind", .timeLimit(.minutes(10)), .paced)
struct ReleaseTests {
    /// A policy or a listener with what it keeps.
    enum Feature: CaseIterable {
        case none, retry, token, limit, rate, breaker, hedge, coalesce, latest, debounce, cache, cookies, key, group,
            metrics
        case records, recorder, exporter, digest

        func added(to client: Client) -> Client {
            switch self {
            case .none: client
            case .retry: client.retry(RetryPolicy(backoff: .exponential(base: .milliseconds(1))))
            case .token: client.authorize(with: TokenRefresher(token: AccessToken("1")) { _ in AccessToken("2") })
            case .limit: client.limit(with: ConcurrencyLimiter(perHost: 1))
            case .rate: client.rate(with: RateLimiter(10_000))
            case .breaker: client.breaker(CircuitBreaker(minimumCalls: 2, pause: .milliseconds(1)))
            case .hedge: client.hedge(after: .milliseconds(1))
            case .coalesce: client.coalesce()
            case .latest: client.latest("search", in: Debouncer())
            case .debounce: client.debounce("search", for: .milliseconds(1), in: Debouncer())
            case .cache: client.cache(with: ResponseCache())
            case .cookies: client.cookies(in: CookieJar())
            case .key: client.idempotencyKey()
            case .group: client.group(Client.CallGroup())
            case .metrics: client.record(to: CallMetrics())
            case .records: client.record(to: ClosureCallSink { _ in })
            case .recorder: client.record(to: CallRecorder())
            case .exporter:
                client.record(
                    to: OTLPExporter(to: URL(filePath: "/"), service: "tests", transport: MockTransport { _ in })
                )
            case .digest: client.authorize(user: "ann", password: "secret", byDigestTo: .only(["http://a.test"]))
            }
        }
    }

    private static let paths = ["fresh", "stale", "flaky", "away", "broken", "cut", "401"]

    private func script(_ mock: MockTransport) {
        mock.onUsualPaths()
        let stale = MockResponse.text("stale").header("Cache-Control", "max-age=0, stale-while-revalidate=9")
        mock.on(nil, "/stale", stale)
        mock.on(nil, "/401", .status(401), .text("in"))
    }

    @Test("is nothing, whatever policy they have and however they end", arguments: Feature.allCases)
    func released(_ feature: Feature) async throws {
        weak var released: MockTransport?
        do {
            let mock = MockTransport { script($0) }
            released = mock
            await use(feature.added(to: Client(transport: mock, seed: 1)))
        }
        let end = ContinuousClock.now + .seconds(20)
        while released != nil, ContinuousClock.now < end { await Task.yield() }
        #expect(released == nil)
    }

    private func use(_ client: Client) async {
        for path in Self.paths {
            let builder = UrlChainsBuilder(client: client).route(.get, "http://a.test/\(path)")
            let text: Chain<Void, String> = builder.build()
            async let one = try? text.process()
            async let other = try? text.process()
            _ = await (one, other)
            // In callbacks, and left alone.
            let _: Observer<String> = text.process()
            let cancelled = Task { try await text.process() }
            cancelled.cancel()
            _ = await cancelled.result
            let whole: Chain<Void, ResponseStream> = builder.loadStream()
            if let stream = try? await whole.process() { do { for try await _ in stream {} } catch {} }
            _ = try? await whole.process()
            let chain: Chain<Void, ElementStream<Int>> = builder.lines()
            if let lines = try? await chain.process() { do { for try await _ in lines { break } } catch {} }
        }
    }
}
