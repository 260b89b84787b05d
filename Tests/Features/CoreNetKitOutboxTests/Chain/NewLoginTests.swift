import TestSupport

@testable import CoreNetKitOutbox

/// Requests that were refused with a user's first token are retried with the next one.
@Suite("A pause for lack of a token", .timeLimit(.minutes(10)), .paced)
struct NewLoginTests {
    private let server: LoopbackServer
    private let folder: TemporaryFolder
    private let outbox: Outbox
    private let tokens: TokenRefresher
    private let client: Client

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
        server.on(.post, "/comments") { request in
            LoopbackResponse(status: request.headers["Authorization"] == "Bearer new" ? 201 : 401)
        }
        outbox = try Outbox(at: folder.box)
        let origins = TokenRefresher.Origins.only([server.url.absoluteString])
        tokens = TokenRefresher(token: AccessToken("old"), origins: origins, user: "alice") { current in
            guard let current else { throw NetworkError(.unauthorized, "signed out", node: "test") }
            return current
        }
        client = Client().authorize(tokens).outbox(outbox)
    }

    /// Stores an entry of Alice, and delivers what can be delivered.
    private func deliverOne() async throws -> Outbox.State {
        let request = OutboxRequest(method: .post, url: try server.url + "comments")
        try await outbox.enqueue(request, repetition: .keyIsHonoured(), owner: "alice")
        return try await outbox.drain(with: client)
    }

    private func pause() async throws {
        let state = try await deliverOne()
        #expect(state.queues.first?.pause?.contains("401") == true, "\(state)")
    }

    enum Way: CaseIterable { case again, logout, another, renewed }

    @Test("ends with the user's next credential, whether or not a logout was seen", arguments: Way.allCases)
    func newLogin(way: Way) async throws {
        try await pause()
        switch way {
        case .again: tokens.set(AccessToken("new"), user: "alice")
        case .logout:
            tokens.set(nil)
            tokens.set(AccessToken("new"), user: "alice")
        case .another:
            tokens.set(AccessToken("of bob"), user: "bob")
            tokens.set(AccessToken("new"), user: "alice")
        case .renewed: tokens.adopt(AccessToken("new"))
        }
        let state = try await outbox.drain(with: client)
        #expect(state.totals.delivered == 1 && state.waiting == 0, "\(state)")
    }

    @Test("stays while the credential is the same: a refused renewal is not retried for ever")
    func sameCredential() async throws {
        try await pause()
        let count = server.requests.count
        for _ in 0..<3 { try await outbox.drain(with: client) }
        #expect(server.requests.count == count)
        #expect(await outbox.state.waiting == 1)
    }

    @Test("is not started by an attempt that a new login has overtaken")
    func overtaken() async throws {
        let (tokens, count) = (tokens, Locked(0))
        server.on(.post, "/comments") { request in
            if count.next() == 1 {
                tokens.set(nil)
                tokens.set(AccessToken("new"), user: "alice")
            }
            return LoopbackResponse(status: request.headers["Authorization"] == "Bearer new" ? 201 : 401)
        }
        let state = try await deliverOne()
        #expect(state.totals.delivered == 1 && state.waiting == 0, "\(state)")
    }
}
