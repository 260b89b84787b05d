import Foundation

struct Message: Codable, Sendable {
    var role: String
    var content: String
}

struct ChatRequest: Encodable, Sendable {
    var model: String
    var messages: [Message]
    var maxTokens: Int?
    var stream: Bool?
}

struct Chat: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        var message: Message
        var finishReason: String?
    }

    var id: String
    var created: Date
    var choices: [Choice]
    var usage: Usage
}

struct Usage: Decodable, Sendable {
    var totalTokens: Int
}

struct ChatPiece: Decodable, Sendable {
    struct Choice: Decodable, Sendable {
        struct Delta: Decodable, Sendable { var content: String? }
        var delta: Delta
    }

    var choices: [Choice]
    var text: String { choices.first?.delta.content ?? "" }
}

struct ResponseRequest: Encodable, Sendable {
    var model: String
    var input: String
    var stream = true
}

struct ResponseEvent: Decodable, Sendable {
    struct Response: Decodable, Sendable { var usage: Usage }
    var delta: String?
    var response: Response?
}

struct EmbeddingRequest: Encodable, Sendable {
    var model: String
    var input: [String]
}

struct Embedding: Decodable, Sendable {
    var index: Int
    var embedding: [Float]
}

struct ModerationResult: Decodable, Sendable {
    var results: [Moderation]
}

struct Moderation: Decodable, Sendable {
    var flagged: Bool
    var categories: [String: Bool]
}

struct SpeechRequest: Encodable, Sendable {
    var model: String
    var voice: String
    var input: String
}

struct Transcript: Decodable, Sendable {
    var text: String
}

struct StoredFile: Decodable, Sendable {
    var id: String
    var bytes: Int
    var createdAt: Date
    var filename: String
    var purpose: String
}

struct Model: Decodable, Sendable {
    var id: String
    var ownedBy: String
}

struct Deletion: Decodable, Sendable {
    var id: String
    var deleted: Bool
}

struct List<Item: Decodable & Sendable>: Decodable, Sendable {
    var data: [Item]
    var hasMore: Bool?
    var lastId: String?

    /// The cursor of the next page.
    var next: String? { hasMore == true ? lastId : nil }
}

/// Why the server refused a call, in a response or in the middle of a stream.
struct APIError: Error, Decodable {
    var message: String
    var type: String
    var param: String?
    var code: String?

    private enum Envelope: String, CodingKey { case error }
    private enum Keys: String, CodingKey { case message, type, param, code }

    /// Reads `{"error": {…}}`, as responses have it, and the object alone.
    init(from decoder: any Decoder) throws {
        let outer = try decoder.container(keyedBy: Envelope.self)
        let isWrapped = outer.contains(.error)
        let values =
            isWrapped
            ? try outer.nestedContainer(keyedBy: Keys.self, forKey: .error) : try decoder.container(keyedBy: Keys.self)
        message = try values.decode(String.self, forKey: .message)
        type = try values.decode(String.self, forKey: .type)
        param = try values.decodeIfPresent(String.self, forKey: .param)
        code = try values.decodeIfPresent(String.self, forKey: .code)
    }
}
