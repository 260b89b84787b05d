import TestSupport

@testable import CoreNetKitOutbox

private struct Comment: Codable, Sendable, Equatable, DTOConvertible, RawMappable {
    typealias DTO = Self
    typealias Raw = Json
    var text: String
}

private struct API: UrlRouteProvider {
    let base: URL
    func url() throws -> URL { try base + "comments" }
}

struct StoredInput: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let body: String
    let store: @Sendable (UrlChainsBuilder<URL>) async throws -> OutboxReceipt

    init<Input: Sendable>(_ name: String, _ sending: Sending<Input>, _ input: Input, _ body: String) {
        (testDescription, self.body) = (name, body)
        store = { try await $0.enqueue(in: "q", sending: sending).call(input) }
    }

    static let all = [
        StoredInput("nothing", .nothing, (), ""),
        StoredInput("a model with a DTO", .json, Comment(text: "a"), #"{"text":"a"}"#),
        StoredInput("a plain Encodable", .json, ["k": "v"], #"{"k":"v"}"#),
        StoredInput("Json", .json, ["n": 1] as Json, #"{"n":1}"#),
        StoredInput("a string", .text, "a", "a"),
        StoredInput("bytes", .data, Data("a".utf8), "a"),
    ]
}

@Suite("A chain that ends in the outbox", .timeLimit(.minutes(10)), .paced)
struct EnqueueTests {
    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let outbox: Outbox

    init() throws {
        folder = try TemporaryFolder()
        server = try LoopbackServer()
        server.on(.post, "/comments") { _ in LoopbackResponse(status: 201) }
        outbox = try Outbox(at: folder.box)
    }

    private func builder(_ client: Client) -> UrlChainsBuilder<API> {
        UrlChainsBuilder<API>(client: client).route(.post, API(base: server.url))
    }

    @discardableResult
    private func store(_ text: String, by client: Client) async throws -> OutboxReceipt {
        let post: Chain<Comment, OutboxReceipt> = builder(client).enqueue(sending: .json)
        return try await post.process(Comment(text: text))
    }

    private func tokens(
        _ token: String = "of alice",
        user: String? = "alice",
        next: AccessToken? = nil
    ) -> TokenRefresher {
        TokenRefresher(token: AccessToken(token), origins: .only([server.url.absoluteString]), user: user) { _ in
            guard let next else { throw CancellationError() }
            return next
        }
    }

    private var authorizations: [String?] { server.requests.map { $0.headers["Authorization"] } }

    @Test("a delivery starts without the deadline of whoever runs the outbox")
    func deliveryWithoutDeadline() async throws {
        let inherited = Recorder<Bool>()
        let transport = ClosureTransport { request in
            inherited.record(CallDeadline.current != nil)
            return .init(status: 201, url: request.url)
        }
        let client = Client(transport: transport).outbox(outbox)
        let post: Chain<Comment, OutboxReceipt> = builder(client).enqueue(in: "post/42", as: "comment", sending: .json)
        _ = try await post.process(Comment(text: "hello"))
        let state = try await CallClock.continuous.within(.seconds(60)) { try await outbox.drain(with: client) }
        #expect(state.queues.isEmpty)
        #expect(inherited.values == [false])
    }

    @Test("every input is stored and delivered in its form", arguments: StoredInput.all)
    func inputs(input: StoredInput) async throws {
        let client = Client().outbox(outbox)
        _ = try await input.store(UrlChainsBuilder<URL>(client: client).route(.post, server.url("/comments")))
        #expect(try await outbox.drain(with: client).queues.isEmpty)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == [input.body])
    }

    @Test("a model is stored, sent by the client, and its response read")
    func roundTrip() async throws {
        server.on(.post, "/comments") { request in .json(String(decoding: request.body, as: UTF8.self)) }
        let client = Client().outbox(outbox)
        let post: Chain<Comment, OutboxReceipt> = builder(client).enqueue(in: "post/42", as: "comment", sending: .json)
        let receipt = try await post.process(Comment(text: "hello"))
        #expect(server.requests.isEmpty)
        #expect(await outbox.state.queues.map(\.name) == ["post/42"])
        let state = try await outbox.drain(with: client)
        #expect(state.waiting == 0)
        #expect(try await receipt.delivery(as: Comment.self) == Comment(text: "hello"))
        let request = try #require(server.requests.first)
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(String(decoding: request.body, as: UTF8.self) == #"{"text":"hello"}"#)
        #expect(request.headers["Idempotency-Key"] == nil)
    }

    @Test("No file contains a byte of `Authorization`, `Cookie` or a token")
    func secrets() async throws {
        let count = Locked(0)
        server.on(.post, "/comments") { _ in LoopbackResponse(status: count.next() == 1 ? 401 : 201) }
        let outbox = try Outbox(at: folder.url.appendingPathComponent("hers"), owner: "alice")
        let tokens = tokens("canary-one", next: AccessToken("canary-two"))
        let client = Client().authorize(tokens).outbox(outbox)
        try await store("hello", by: client)
        try await outbox.drain(with: client)
        #expect(authorizations == ["Bearer canary-one", "Bearer canary-two"])
        #expect(try folder.bytes().range(of: Data("canary".utf8)) == nil)

        for name in ["Authorization", "Cookie", "X-Api-Key"] {
            let builder = builder(client).add(header: name, "canary")
            let secret: Chain<Comment, OutboxReceipt> = builder.enqueue(sending: .json)
            let error = await #expect(throws: NetworkError.self) { _ = try await secret.process(Comment(text: "x")) }
            #expect(error?.code == .notStored)
            #expect((error?.cause as? OutboxError)?.code == .secretField)
        }
        #expect(try folder.bytes().range(of: Data("canary".utf8)) == nil)
    }

    @Test("a builder with its own policies, providers or transport is refused by name; what is outside is fine")
    func ownPolicies() async throws {
        let client = Client().retry(.standard).outbox(outbox)
        func problem(_ change: (UrlChainsBuilder<API>) -> UrlChainsBuilder<API>) async -> String {
            let chain: Chain<Comment, OutboxReceipt> = change(builder(client)).enqueue(sending: .json)
            return await message { try await chain.process(Comment(text: "x")) }
        }
        #expect(await problem { $0 } == "")
        #expect(await problem { $0.set(deadline: .seconds(3)) } == "")
        #expect(await problem { $0.without(.retry) }.contains("lacks the client's retry"))
        #expect(await problem { $0.retry(RetryPolicy(limit: 9)) }.contains("has retry of its own"))
        #expect(await problem { $0.idempotencyKey() }.contains("has idempotencyKey of its own"))
        #expect(await problem { $0.set(transport: ClosureTransport()) }.contains("has a transport of its own"))
        #expect(await outbox.state.waiting == 2)
    }

    @Test("without an outbox the call says so, and an ordinary call passes the outbox unchanged")
    func ordinary() async throws {
        server.on(.post, "/comments") { _ in .json(#"{"text":"direct"}"#) }
        let error = await #expect(throws: NetworkError.self) { try await store("x", by: Client()) }
        #expect(error?.code == .invalidChain)
        let direct: Chain<Comment, Comment> = builder(Client().outbox(outbox)).build()
        #expect(try await direct.process(Comment(text: "x")) == Comment(text: "direct"))
        #expect(await outbox.state.waiting == 0)
    }

    @Test("a client that adds keys adds one that all attempts share, across a restart too")
    func keys() async throws {
        let count = Locked(0)
        server.on(.post, "/comments") { _ in LoopbackResponse(status: count.next() < 3 ? 500 : 201) }
        var options = Outbox.Options()
        options.firstBackoff = .milliseconds(1)
        let box = folder.url.appendingPathComponent("keys")
        do {
            let outbox = try Outbox(at: box, options: options)
            try await store("x", by: Client().idempotencyKey().outbox(outbox))
        }
        let outbox = try Outbox(at: box, options: options)
        try await outbox.drain(with: Client().idempotencyKey().outbox(outbox))
        let keys = server.requests.map { $0.headers["Idempotency-Key"] }
        #expect(keys.count == 3 && Set(keys).count == 1 && keys[0] != nil)
    }

    @Test("entries are sent only with their owner's tokens")
    func owners() async throws {
        let tokens = tokens()
        let client = Client().authorize(tokens).outbox(outbox)
        try await store("from alice", by: client)
        tokens.set(AccessToken("of bob"), user: "bob")
        try await outbox.drain(with: client)
        #expect(server.requests.isEmpty)
        try await store("from bob", by: client)
        try await outbox.drain(with: client)
        tokens.set(AccessToken("of alice"), user: "alice")
        try await outbox.drain(with: client)
        #expect(authorizations == ["Bearer of bob", "Bearer of alice"])
        // Tokens without a known owner cannot be told from another user's after a restart.
        let anonymous = Client().authorize(self.tokens("x", user: nil)).outbox(outbox)
        let error = await #expect(throws: NetworkError.self) { try await store("x", by: anonymous) }
        #expect((error?.cause as? OutboxError)?.code == .invalidOption)
    }

    @Test("a user who signs in while an entry is on its way does not lend it a token")
    func ownerChangesOnTheWay() async throws {
        let tokens = tokens()
        let client = Client().authorize(tokens).outbox(outbox)
        try await store("from alice", by: client)
        let switching = client.insert(at: .call, scope: .none) { next in
            AnyNode("Switch", before: next) { _, _ in tokens.set(AccessToken("of bob"), user: "bob") }
        }
        let state = try await outbox.drain(with: switching)
        #expect(server.requests.isEmpty && state.waiting == 1)
        #expect(await outbox.state.queues.first?.pause != nil)
        tokens.set(AccessToken("of alice"), user: "alice")
        try await outbox.drain(with: client)
        #expect(authorizations == ["Bearer of alice"])
    }

    @Test("neither an unnamed user nor nobody, coming before an entry is sent, lends it a token")
    func ownerChangesBefore() async throws {
        let tokens = tokens()
        let client = Client().authorize(tokens).outbox(outbox)
        try await store("from alice", by: client)
        let delivery = ClientDelivery(client.configuration)
        await outbox.engine.set(delivery.session())
        let attempt = try await outbox.begin()
        for token in [AccessToken("of somebody"), nil] {
            tokens.set(token)
            await #expect(throws: NetworkError.self) { _ = try await delivery.send(attempt) }
        }
        #expect(server.requests.isEmpty)
    }

    @Test("large bodies and files lie beside the log, are checked before they are sent, and are removed afterwards")
    func blobs() async throws {
        let client = Client()
        let url = try server.url + "comments"
        let large = Data(repeating: 7, count: 300_000)
        let file = folder.url.appendingPathComponent("upload")
        try Data("the file".utf8).write(to: file)
        try await outbox.enqueue(OutboxRequest(method: .post, url: url, body: .bytes(large)))
        try await outbox.enqueue(OutboxRequest(method: .post, url: url, body: .file(file)))
        let changed = try await outbox.enqueue(OutboxRequest(method: .post, url: url, body: .file(file)))
        // The app's file may change; the copy may not.
        try Data("another".utf8).write(to: file)
        let blobs = folder.box.appendingPathComponent("blobs")
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path).count == 3)
        try Data("tampered".utf8).write(to: blobs.appendingPathComponent(changed.id.uuidString))
        let state = try await outbox.drain(with: client)
        #expect(Set(server.requests.map(\.body)) == [large, Data("the file".utf8)])
        #expect(state.deadLetters.map(\.id) == [changed.id])
        try await outbox.deadLetters.discard(changed.id)
        await outbox.suspend()
        #expect(try FileManager.default.contentsOfDirectory(atPath: blobs.path).isEmpty)
    }
}
