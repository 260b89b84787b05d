import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("A hook for redirects", .timeLimit(.minutes(10)), .paced)
struct RedirectHookTests {
    let requests = Recorder<TransportRequest>()

    /// `/1` points to `/2`, and so on up to `/4`; the first hop leaves the origin.
    private func builder(_ path: String = "/1") -> UrlChainsBuilder<String> {
        let transport = ClosureTransport { [requests] request in
            requests.record(request)
            let number = request.url.path.dropFirst().first.flatMap { Int(String($0)) } ?? 4
            guard number < 4 else { return .init(status: 200, url: request.url) }
            let target = number == 1 ? "http://b.test/2" : "/\(number + 1)"
            return .init(status: 307, headers: ["Location": target, "X-Hop": "\(number)"], url: request.url)
        }
        return UrlChainsBuilder<String>(client: Client(transport: transport)).route(.get, "http://a.test\(path)")
            .authorize(user: "a", password: "b")
    }

    private var paths: [String] { requests.values.map(\.url.absoluteString) }

    @Test("sees each hop with its number, status, fields and both requests, and may let it be followed")
    func follow() async throws {
        let hops = Recorder<TransportResponse.Redirect>()
        let chain: Chain<Void, Void> = builder().onRedirect { hop in
            hops.record(hop)
            return .follow
        }.build()
        try await chain.process()
        #expect(hops.values.map(\.number) == [1, 2, 3])
        #expect(hops.values.map(\.status) == [307, 307, 307])
        #expect(hops.values.map { $0.headers["X-Hop"] } == ["1", "2", "3"])
        #expect(hops.values.map(\.request.url.path) == ["/1", "/2", "/3"])
        #expect(hops.values.map(\.next.url.path) == ["/2", "/3", "/4"])
        #expect(hops.values.first?.request.headers.contains("Authorization") == true)
        #expect(hops.values.first?.next.headers.contains("Authorization") == false)
        #expect(paths == ["http://a.test/1", "http://b.test/2", "http://b.test/3", "http://b.test/4"])
    }

    @Test("stops at a hop: the redirect is the response, and nothing more is sent")
    func stop() async throws {
        let builder = builder().onRedirect { $0.number == 2 ? .stop : .follow }
        let error = await #expect(throws: NetworkError.self) {
            let chain: Chain<Void, Void> = builder.build()
            try await chain.process()
        }
        #expect(error?.status == 307)
        #expect(error?.response?.headers["Location"] == "/3")
        let response: Response<Void> = try await builder.without(.status).build().process()
        #expect(response.status == 307)
        #expect(paths.allSatisfy { !$0.hasSuffix("/3") })
    }

    @Test("sends another request in its place")
    func modify() async throws {
        let chain: Chain<Void, Void> = builder().onRedirect { hop in
            var next = hop.next
            next.headers["X-From"] = hop.request.url.host
            if hop.number == 1, let url = URL(string: "http://c.test/4") { next.url = url }
            return .modify(next)
        }.build()
        try await chain.process()
        #expect(paths == ["http://a.test/1", "http://c.test/4"])
        #expect(requests.values.last?.headers["X-From"] == "a.test")
    }

    @Test("counts within its limit, and zero follows none without asking")
    func limit() async throws {
        let asked = Recorder<Int>()
        for limit in [0, 2] {
            let chain: Chain<Void, Void> = builder().onRedirect(limit: limit) { hop in
                asked.record(hop.number)
                return .follow
            }.build()
            let error = await #expect(throws: NetworkError.self) { try await chain.process() }
            #expect(error?.code == (limit == 0 ? .unacceptableStatus : .tooManyRedirects))
        }
        #expect(asked.values == [1, 2])
    }

    @Test("is not asked about a redirect that must not be followed")
    func refused() async throws {
        let transport = ClosureTransport {
            .init(status: 302, headers: ["Location": "http://a.test/"], url: $0.url)
        }
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "https://a.test/").onRedirect { .modify($0.next) }.build()
        let error = await #expect(throws: NetworkError.self) { try await chain.process() }
        #expect(error?.code == .redirectRefused)
    }
}
