import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitMock
import Foundation
import SecretKinds
import TestPace
import TestSupport
import Testing

@Suite("What values say of themselves", .timeLimit(.minutes(10)), .paced)
struct SecretValueTests {
    /// Everything that a value shows of itself.
    private static func views(_ value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return ["\(value)", String(reflecting: value), dumped]
    }

    private static func leaks(_ kind: SecretKind, _ values: [Any]) -> [String] {
        values.flatMap(views).filter { $0.contains(SecretKind.canary) }.map { "\(kind): \($0)" }
    }

    private static func headers(_ kind: SecretKind) -> Headers {
        var headers: Headers = ["Accept": "*/*"]
        if let name = kind.field { headers[name] = SecretKind.canary }
        if let url = kind.url { headers["Location"] = url }
        return headers
    }

    private static func url(_ kind: SecretKind) throws -> URL {
        try #require(URL(string: kind.url ?? "https://a.test/x", relativeTo: URL(string: "https://a.test/")))
    }

    @Test("requests, responses and fields show none of the secrets of the table")
    func values() throws {
        var leaks: [String] = []
        for kind in SecretKind.all {
            let (headers, url, body) = (Self.headers(kind), try Self.url(kind), Data(kind.json.utf8))
            let request = TransportRequest(method: .post, url: url, headers: headers, body: .bytes(body))
            let response = TransportResponse(status: 500, headers: headers, body: .bytes(body), url: url)
            let failed = FailedResponse(status: 500, headers: headers, body: body, url: url)
            let error = NetworkError(NetworkError.Code(status: 500), "status 500", node: "StatusNode", response: failed)
            leaks += Self.leaks(kind, [request, response, headers, headers.fields, failed, error])
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test("the error of a call and its parts show none of the secrets of the table", arguments: [true, false])
    func errors(hasResponse: Bool) async throws {
        var leaks: [String] = []
        for kind in SecretKind.all {
            let (headers, url, body) = (Self.headers(kind), try Self.url(kind), Data(kind.json.utf8))
            let transport = ClosureTransport { request in
                guard hasResponse else {
                    throw TransportError(.cannotConnect, phase: .connect, message: "no way to \(request)")
                }
                return TransportResponse(status: 500, headers: headers, body: .bytes(body), url: request.url)
            }
            let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: Client(transport: transport))
                .set(headers: headers).route(.get, url.absoluteURL).build()
            let error = try #require(await #expect(throws: NetworkError.self) { _ = try await chain.process() as Json })
            let parts: [Any?] = [error.response, error.cause]
            leaks += Self.leaks(kind, [error, error.localizedDescription] + parts.compactMap { $0 })
        }
        #expect(leaks.prefix(10) == [])
    }
}
