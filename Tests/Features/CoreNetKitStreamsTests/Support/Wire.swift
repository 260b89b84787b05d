import CoreNetKit
import CoreNetKitLoopback
import CoreNetKitMock
import CoreNetKitStreams
import Foundation

/// A server and clients of it.
struct Wire {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    func get(_ path: String, client: Client = Client()) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>(client: client).route(.get, server.url(path))
    }

    func post(_ path: String, client: Client = Client()) -> UrlChainsBuilder<URL> {
        UrlChainsBuilder<URL>(client: client).route(.post, server.url(path))
    }
}

extension LoopbackResponse {
    /// A `text/event-stream` in these chunks.
    static func events(_ chunks: String...) -> LoopbackResponse {
        LoopbackResponse(
            headers: ["Content-Type": "text/event-stream"],
            body: .chunks(chunks.map { Data($0.utf8) })
        )
    }

    /// Content of a type in these chunks.
    static func pieces(_ type: String, _ chunks: String...) -> LoopbackResponse {
        LoopbackResponse(headers: ["Content-Type": type], body: .chunks(chunks.map { Data($0.utf8) }))
    }
}

struct Word: Codable, Equatable, Sendable {
    var word: String
}

/// A model with an entry of its own.
struct Sentence: Equatable, Sendable, DTODecodable {
    struct Entry: Decodable, RawDecodable, Sendable {
        typealias Raw = Json
        let word: String
    }

    let text: String

    static func from(dto: Entry) throws -> Sentence { Sentence(text: dto.word + ".") }
}

extension AsyncSequence {
    /// All elements.
    func collect() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
