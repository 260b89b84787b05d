import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The content of a redirected request", .timeLimit(.minutes(10)), .paced)
struct RedirectContentTests {
    private let fields = [
        "Content-Type", "Content-Encoding", "Content-Language", "Content-Location", "Content-Digest", "content-md5",
        "Digest", "Repr-Digest", "Last-Modified",
    ]

    @Test(
        "goes with every field that describes it, or stays with all of them",
        arguments: [(301, false), (302, false), (303, false), (307, true), (308, true)]
    )
    func fields(status: Int, keeps: Bool) async throws {
        let requests = Recorder<TransportRequest>()
        let transport = ClosureTransport { request in
            requests.record(request)
            guard requests.values.count == 1 else { return .init(status: 200, url: request.url) }
            return .init(status: status, headers: ["Location": "/z"], url: request.url)
        }
        var headers: Headers = ["Accept-Language": "de", "X-Own": "1"]
        for name in fields { headers[name] = "x" }
        let request = TransportRequest(
            method: .post,
            url: try #require(URL(string: "http://a.test/x")),
            headers: headers,
            body: .bytes(Data("body".utf8))
        )
        let node = RedirectNode(next: TransportNode(transport))
        _ = try await node.process(request, context: RequestContext())
        let second = try #require(requests.values.last)
        #expect(requests.values.count == 2)
        for name in fields { #expect(second.headers.contains(name) == keeps, "\(name)") }
        #expect(second.headers["Accept-Language"] == "de" && second.headers["X-Own"] == "1")
    }

    @Test("of a streamed redirect is abandoned before the next request, which would otherwise wait for its connection")
    func streams() async throws {
        let closed = Recorder<Bool>()
        let wasClosed = Recorder<Bool>()
        let transport = ClosureTransport { request in
            let isFirst = request.url.path == "/x"
            wasClosed.record(!closed.values.isEmpty)
            let stream = ResponseStream(next: { Data("<".utf8) }, cancel: { if isFirst { closed.record(true) } })
            return .init(
                status: isFirst ? 302 : 200,
                headers: isFirst ? ["Location": "/z"] : [:],
                body: .stream(stream),
                url: request.url
            )
        }
        let chain: Chain<Void, ResponseStream> = UrlChainsBuilder<String>(client: Client(transport: transport))
            .route(.get, "http://a.test/x").loadStream()
        _ = try await chain.process() as ResponseStream
        #expect(wasClosed.values == [false, true])
    }
}
