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
    private let folder: TemporaryFolder

    init() throws {
        wire = try Wire()
        folder = try TemporaryFolder()
    }

    private func refresher() -> TokenRefresher {
        TokenRefresher(token: AccessToken(SecretKind.canary), origins: .any) { _ in AccessToken(SecretKind.canary) }
    }

    private func check(_ request: LoopbackRequest) {
        let leaks = request.headers.filter { $0.value.contains(SecretKind.canary) }
        #expect(leaks.map(\.name) == [])
        #expect(Self.harmless.filter { !request.headers.contains($0) } == [])
        #expect(request.headers["X-Session-Color"] == "red")
    }

    /// Reads a list whose second page is on another server; returns that page's request.
    private func read(
        _ wire: Wire,
        _ change: (UrlChainsBuilder<URL>) -> UrlChainsBuilder<URL>
    ) async throws -> LoopbackRequest {
        let other = try LoopbackServer { _ in .json("{\"items\":[2]}") }
        wire.server.on(.get, "/items", .json("{\"items\":[1],\"next\":\"\(other.url("/items"))\"}"))
        var options = PageOptions()
        options.allowsForeignOrigins = true
        let strategy = PageStrategy<ItemPage>.next { page in page.model.next }
        #expect(
            try await change(wire.get("/items")).pages(strategy, options, reading: .json).elements(\.items).collect()
                == [1, 2]
        )
        return try #require(other.requests.first)
    }

    /// Uploads a file that another server keeps; returns the request with its content.
    private func upload(
        to wire: Wire,
        _ change: (UrlChainsBuilder<URL>) -> UrlChainsBuilder<URL>
    ) async throws -> LoopbackRequest {
        let other = try LoopbackServer()
        wire.server.on(.post, "/files", .status(201, headers: ["Location": other.url("/files/1").absoluteString]))
        other.on(.patch, "/files/1") { request in .status(204, headers: ["Upload-Offset": "\(request.body.count)"]) }
        let file = folder["file"]
        try Data("content".utf8).write(to: file)
        _ = try await change(wire.post("/files")).upload(file: file, using: .tus()).process()
        return try #require(other.requests.first)
    }

    @Test("a page on another origin")
    func pages() async throws {
        let request = try await read(wire) {
            $0.secrets(Self.own).set(headers: Self.all).authorize(refresher())
        }
        check(request)
        #expect(wire.server.requests.first?.headers["X-Vault-Token"] == SecretKind.canary)
    }

    @Test("an upload with a location on another server, with a token for any origin")
    func uploads() async throws {
        let request = try await upload(to: wire) {
            $0.secrets(Self.own).set(headers: Self.all).authorize(refresher())
        }
        #expect(String(decoding: request.body, as: UTF8.self) == "content")
        check(request)
        #expect(wire.server.requests.first?.headers["Authorization"]?.contains(SecretKind.canary) == true)
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
        #expect(try await read(wire) { signed($0, at: name) }.headers["X-Signature"] == nil)
        #expect(wire.server.requests.first?.headers["X-Signature"] == SecretKind.canary)
    }

    @Test("an upload to another server has no signature, whatever its position is called", arguments: names)
    func signedUploads(_ name: String) async throws {
        #expect(try await upload(to: wire) { signed($0, at: name) }.headers["X-Signature"] == nil)
        #expect(wire.server.requests.first?.headers["X-Signature"] == SecretKind.canary)
    }

    private static let names = ["a", "signature", "z-signature"]
}
