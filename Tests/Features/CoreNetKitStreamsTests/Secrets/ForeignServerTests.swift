import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitLoopback
import CoreNetKitStreams
import Foundation
import SecretKinds
import TestPace
import Testing

private struct LinkedPage: Decodable, Sendable {
    var items: [Int]
    var next: String?
}

/// Pages and uploads may lead to another server, which gets what is harmless and nothing else.
@Suite("Secrets stay with the server for which they were given", .timeLimit(.minutes(10)), .paced)
struct ForeignServerTests {
    static let own = SecretRules.standard.adding(fields: ["X-Corp-Id"]).exempting(fields: ["X-Session-Color"])
    /// What loopback servers and the wire do not let through as it is.
    static let wires: Set = [
        "Connection", "Content-Length", "Transfer-Encoding", "TE", "Trailer", "Upgrade", "Host", "Expect", "Keep-Alive",
        "HTTP2-Settings", "Close", "Content-Encoding", "Range", "If-Range", "Accept-Encoding", "Content-Type", "Accept",
        // The client's own secret.
        "X-Corp-Id",
    ]
    static let harmless = HarmlessName.fields.filter { !wires.contains($0) }
    static let all = Headers(
        SecretKind.fields.map { ($0.text, SecretKind.canary) } + harmless.map { ($0, "7") }
            + [("X-Corp-Id", SecretKind.canary), ("X-Session-Color", "red")]
    )

    private func refresher() -> TokenRefresher {
        TokenRefresher(token: AccessToken(SecretKind.canary), origins: .any) { _ in AccessToken(SecretKind.canary) }
    }

    private func check(_ request: LoopbackRequest) {
        let leaks = request.headers.filter { $0.value.contains(SecretKind.canary) }
        #expect(leaks.map(\.name) == [])
        #expect(Self.harmless.filter { !request.headers.contains($0) } == [])
        #expect(request.headers["X-Session-Color"] == "red")
    }

    @Test("a page on another origin")
    func pages() async throws {
        let other = try LoopbackServer { _ in .json("{\"items\":[2]}") }
        let wire = try Wire()
        wire.server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"\(other.url("/items"))\"}"))
        var options = PageOptions()
        options.allowsForeignOrigins = true
        let builder = wire.get("/items").secrets(Self.own).set(headers: Self.all).authorize(with: refresher())
        let strategy = PageStrategy<LinkedPage>.next { page in page.model.next }
        #expect(try await builder.pages(strategy, options).elements(\.items).collect() == [1, 2])
        check(try #require(other.requests.first))
        #expect(wire.server.requests.first?.headers["X-Vault-Token"] == SecretKind.canary)
    }

    @Test("an upload with a location on another server, with a token for any origin")
    func uploads() async throws {
        let (host, other) = (try LoopbackServer(), try LoopbackServer())
        let place = other.url("/files/1").absoluteString
        host.on(.post, "/files", .status(201, headers: ["Location": place]))
        other.on(.patch, "/files/1") { request in .status(204, headers: ["Upload-Offset": "\(request.body.count)"]) }
        let file = FileManager.default.temporaryDirectory.appending(path: "secrets-\(UUID().uuidString)")
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let chain = UrlChainsBuilder<URL>(client: Client()).secrets(Self.own).set(headers: Self.all)
            .authorize(with: refresher()).route(.post, host.url("/files")).upload(file: file, using: .tus())
        _ = try await chain.process()
        let request = try #require(other.requests.first)
        #expect(String(decoding: request.body, as: UTF8.self) == "content")
        check(request)
        #expect(host.requests.first?.headers["Authorization"]?.contains(SecretKind.canary) == true)
    }

    /// A signature that a user's node makes for whatever it sees, as the documents place it.
    private func signed<Model>(_ builder: UrlChainsBuilder<Model>, at name: String) -> UrlChainsBuilder<Model> {
        builder.insert(at: .inside(of: .exchange, name), scope: .none) { next in
            AnyNode<TransportRequest, TransportResponse>("Signer", successors: [next]) { request, context in
                var request = request
                request.headers["X-Signature"] = SecretKind.canary
                return try await next.process(request, context: context)
            }
        }
    }

    @Test("a page on another origin has no signature, whatever its position is called", arguments: names)
    func signedPages(_ name: String) async throws {
        let other = try LoopbackServer { _ in .json("{\"items\":[2]}") }
        let wire = try Wire()
        wire.server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"\(other.url("/items"))\"}"))
        var options = PageOptions()
        options.allowsForeignOrigins = true
        let strategy = PageStrategy<LinkedPage>.next { page in page.model.next }
        let builder = signed(wire.get("/items"), at: name)
        #expect(try await builder.pages(strategy, options).elements(\.items).collect() == [1, 2])
        #expect(try #require(other.requests.first).headers["X-Signature"] == nil)
        #expect(wire.server.requests.first?.headers["X-Signature"] == SecretKind.canary)
    }

    @Test("an upload to another server has no signature, whatever its position is called", arguments: names)
    func signedUploads(_ name: String) async throws {
        let (host, other) = (try LoopbackServer(), try LoopbackServer())
        host.on(.post, "/files", .status(201, headers: ["Location": other.url("/files/1").absoluteString]))
        other.on(.patch, "/files/1") { request in .status(204, headers: ["Upload-Offset": "\(request.body.count)"]) }
        let file = FileManager.default.temporaryDirectory.appending(path: "signature-\(UUID().uuidString)")
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let builder = signed(UrlChainsBuilder<URL>(client: Client()).route(.post, host.url("/files")), at: name)
        _ = try await builder.upload(file: file, using: .tus()).process()
        #expect(try #require(other.requests.first).headers["X-Signature"] == nil)
        #expect(host.requests.first?.headers["X-Signature"] == SecretKind.canary)
    }

    private static let names = ["a", "signature", "z-signature"]
}
