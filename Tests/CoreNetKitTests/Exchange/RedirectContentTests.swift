import CoreNetKit
import CoreNetKitHTTP
import Foundation
import TestPace
import Testing
import TestSupport

@Suite("The content of a redirected request", .timeLimit(.minutes(10)), .paced)
struct RedirectContentTests {
    private let fields = ["Content-Type", "Content-Encoding", "Content-Language", "Content-Location"]

    @Test(
        "goes with every field that tells of it, or stays with all of them",
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
}
