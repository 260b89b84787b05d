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

    @Test(
        "an error shows no secret that a transport or a node of one's own wrote into its message",
        arguments: [true, false]
    )
    func ownMessages(isTransportError: Bool) async throws {
        struct TestError: Error, CustomStringConvertible { let description: String }
        var leaks: [String] = []
        for kind in SecretKind.all {
            guard let message = kind.message else { continue }
            let transport = ClosureTransport { _ in
                guard isTransportError else { throw TestError(description: message) }
                throw TransportError(.failed, phase: .wait, message: message)
            }
            let url = try #require(URL(string: "https://a.test/x"))
            let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: Client(transport: transport))
                .route(.get, url).build()
            let error = try #require(await #expect(throws: NetworkError.self) { _ = try await chain.process() as Json })
            leaks += Self.leaks(kind, [error.message, error.localizedDescription])
            // What somebody else's error says when it is dumped is in nobody's hands but theirs.
            if isTransportError { leaks += Self.leaks(kind, [error]) }
            let own = NetworkError(.nodeFailed, message, node: "OwnNode")
            let shown = [error.description, own.description, own.localizedDescription, String(reflecting: own)]
            leaks += shown.filter { $0.contains(SecretKind.canary) }
        }
        #expect(leaks.prefix(10) == [])
    }

    @Test("the rules of a client apply to the message of its transport, too")
    func ownRules() async throws {
        let transport = ClosureTransport { _ in
            throw TransportError(.failed, phase: .wait, message: "GET /x?corp_id=\(SecretKind.canary) failed")
        }
        let client = Client(transport: transport).secrets(SecretRules.standard.adding(items: ["corp_id"]))
        let url = try #require(URL(string: "https://a.test/x"))
        let chain: Chain<Void, Json> = UrlChainsBuilder<URL>(client: client).route(.get, url).build()
        let error = try #require(await #expect(throws: NetworkError.self) { _ = try await chain.process() as Json })
        #expect(!error.description.contains(SecretKind.canary))
        #expect(!"\(try #require(error.cause))".contains(SecretKind.canary))
    }
}
