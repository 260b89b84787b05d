import CoreNetKitStreams
import SecretKinds
import TestSupport

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

    private let wire: Wire

    init() throws { wire = try Wire() }

    private func refresher() -> TokenRefresher {
        TokenRefresher(token: AccessToken(SecretKind.canary), origins: .any) { _ in AccessToken(SecretKind.canary) }
    }

    /// How a call comes to another server: by the second page of a list, or by the location of an upload.
    enum Way: CaseIterable { case page, upload }

    /// Makes a call that leads to another server; returns the first request there.
    private func lead(
        _ way: Way,
        _ change: (UrlChainsBuilder<URL>) -> UrlChainsBuilder<URL>
    ) async throws -> LoopbackRequest {
        let other = try LoopbackServer()
        switch way {
        case .page:
            other.on(.get, "/items", .json("{\"items\":[2]}"))
            wire.server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"\(other.url("/items"))\"}"))
            var options = PageOptions()
            options.allowsForeignOrigins = true
            let strategy = PageStrategy<ItemPage>.next { page in page.model.next }
            let pages = change(wire.get("/items")).pages(strategy, options, reading: .json)
            #expect(try await pages.elements(\.items).collect() == [1, 2])
        case .upload:
            wire.server.on(.post, "/files", .status(201, headers: ["Location": other.url("/files/1").absoluteString]))
            other.on(.patch, "/files/1") { .status(204, headers: ["Upload-Offset": "\($0.body.count)"]) }
            _ = try await change(wire.post("/files")).upload(.bytes(Data("content".utf8)), using: .tus()).process()
            #expect(other.requests.first?.text == "content")
        }
        return try #require(other.requests.first)
    }

    @Test("fields and a token for any origin", arguments: Way.allCases)
    func fields(way: Way) async throws {
        let request = try await lead(way) { $0.secrets(Self.own).set(headers: Self.all).authorize(refresher()) }
        let leaks = request.headers.filter { $0.value.contains(SecretKind.canary) }
        #expect(leaks.map(\.name) == [])
        #expect(Self.harmless.filter { !request.headers.contains($0) } == [])
        #expect(request.headers["X-Session-Color"] == "red")
        let own = wire.server.requests.first?.headers
        #expect(own?["X-Vault-Token"] == SecretKind.canary)
        #expect(own?["Authorization"]?.contains(SecretKind.canary) == true)
    }

    @Test(
        "a signature that a user's node makes for whatever it sees, whatever its position is called",
        arguments: Way.allCases,
        ["a", "signature", "z-signature"]
    )
    func signature(way: Way, name: String) async throws {
        let request = try await lead(way) { builder in
            builder.insert(at: .inside(of: .exchange, name), scope: .none) { next in
                AnyNode("Signer", before: next) { request, _ in request.headers["X-Signature"] = SecretKind.canary }
            }
        }
        #expect(request.headers["X-Signature"] == nil)
        #expect(wire.server.requests.first?.headers["X-Signature"] == SecretKind.canary)
    }
}
