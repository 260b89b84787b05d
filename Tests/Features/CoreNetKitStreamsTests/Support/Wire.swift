import CoreNetKitStreams
import TestSupport

/// A server and clients of it.
struct Wire {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

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

/// Expects work to fail with an error of this code and, if one is given, this code of its cause.
@discardableResult
func expectFailure<Value>(
    _ code: NetworkError.Code,
    _ cause: StreamError.Code? = nil,
    at location: SourceLocation = #_sourceLocation,
    _ work: () async throws -> Value
) async -> NetworkError? {
    let error = await failure { _ = try await work() }
    #expect(error?.code == code, sourceLocation: location)
    if let cause { #expect((error?.cause as? StreamError)?.code == cause, sourceLocation: location) }
    return error
}

/// A model, also of a server's errors.
struct Word: Codable, Equatable, Sendable, Error {
    var word: String
}

/// A model with an entry of its own.
struct Sentence: Equatable, Sendable, DTOConvertible {
    struct Entry: Codable, RawMappable, Sendable {
        typealias Raw = Json
        let word: String
    }

    let text: String

    static func from(dto: Entry) throws -> Sentence { Sentence(text: dto.word + ".") }

    func toDTO() -> Entry { Entry(word: text) }
}

/// A page of a list of numbers.
struct ItemPage: Decodable, Sendable, Equatable {
    var items: [Int]
    var next: String?
    var total: Int?
}

/// The ways in which a reader may be handed the same bytes.
enum Cuts {
    /// Whole, byte by byte, in chunks of a few sizes, and cut once at every place of a short text.
    static func all(of bytes: [UInt8]) -> [[Data]] {
        var ways = [[Data(bytes)]]
        for size in [1, 2, 3, 7] { ways.append(chunks(bytes, of: size)) }
        if bytes.count <= 400 {
            for place in 0...bytes.count { ways.append([Data(bytes[..<place]), Data(bytes[place...])]) }
        }
        return ways
    }

    static func chunks(_ bytes: [UInt8], of size: Int) -> [Data] {
        stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}

/// What a reader gives, and how it ends.
struct Reading<Element: Equatable>: Equatable {
    var elements: [Element] = []
    var code: String?
}
