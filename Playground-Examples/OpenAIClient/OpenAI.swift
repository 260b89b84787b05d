import CoreNetKit
import CoreNetKitStreams
import Foundation

/// OpenAI's interface: chat, responses, embeddings, audio, files and models.
///
/// What the server refuses is thrown as an ``APIError``.
struct OpenAI: Sendable {
    private let client: Client

    init(key: String, base: URL) {
        client = Client(base: base)
            .add(header: "Authorization", "Bearer \(key)")
            .set(coding: JsonCoding(keys: .snakeCase, dates: .secondsSince1970))
            .mapFailure(as: APIError.self)
            .standard()
            .idempotencyKey()
    }
}

// MARK: - Chat and responses

extension OpenAI {
    func chat(_ request: ChatRequest) async throws -> Chat {
        try await client.route(.post, "/chat/completions").build().call(request)
    }

    /// The reply in pieces, as the model writes it.
    func chatPieces(_ request: ChatRequest) async throws -> EventStream<ChatPiece> {
        var request = request
        request.stream = true
        return try await client.route(.post, "/chat/completions")
            .events(sending: .json, reading: .json)
            .until(data: "[DONE]")
            .failing(onMember: "error", as: APIError.self)
            .call(request)
    }

    /// Typed events, of which the last one has the usage.
    func responseEvents(_ request: ResponseRequest) async throws -> EventStream<ResponseEvent> {
        try await client.route(.post, "/responses")
            .events(sending: .json, reading: .json)
            .until(type: "response.completed", isIncluded: true)
            .failing(on: "error", as: APIError.self)
            .only(types: ["response.output_text.delta", "response.completed"])
            .call(request)
    }
}

// MARK: - Embeddings, moderation, audio

extension OpenAI {
    func embeddings(of texts: [String], model: String) async throws -> [[Float]] {
        let request = EmbeddingRequest(model: model, input: texts)
        let list: List<Embedding> = try await client.route(.post, "/embeddings").build().call(request)
        return list.data.sorted { $0.index < $1.index }.map(\.embedding)
    }

    func moderate(_ text: String) async throws -> [Moderation] {
        let result: ModerationResult = try await client.route(.post, "/moderations").build().call(["input": text])
        return result.results
    }

    func speech(_ request: SpeechRequest) async throws -> Data {
        try await client.route(.post, "/audio/speech").build().call(request)
    }

    func transcribe(_ audio: URL, model: String) async throws -> String {
        let form = MultipartModel([.field("model", model), .file("file", .url(url: audio))])
        let transcript: Transcript = try await client.route(.post, "/audio/transcriptions").build().call(form)
        return transcript.text
    }
}

// MARK: - Files and models

extension OpenAI {
    func upload(_ file: URL, purpose: String) async throws -> StoredFile {
        let form = MultipartModel([.field("purpose", purpose), .file("file", .url(url: file))])
        return try await client.route(.post, "/files").build().call(form)
    }

    /// All files of a purpose; a page is requested when the reader needs it.
    func files(for purpose: String, pageSize: Int = 100) -> Pages<List<StoredFile>> {
        client.route(.get, "/files")
            .set(query: ["purpose": purpose, "limit": pageSize])
            .pages(.cursor(\.next, as: "after"), reading: .json)
    }

    func file(_ id: String) async throws -> StoredFile {
        try await client.route(.get, "/files/\(id)").build().call()
    }

    func content(of id: String) async throws -> Data {
        try await client.route(.get, "/files/\(id)/content").loadData().call()
    }

    func deleteFile(_ id: String) async throws -> Deletion {
        try await client.route(.delete, "/files/\(id)").build().call()
    }

    func models() async throws -> [Model] {
        let list: List<Model> = try await client.route(.get, "/models").build().call()
        return list.data
    }

    func model(_ id: String) async throws -> Model {
        try await client.route(.get, "/models/\(id)").build().call()
    }
}
