import CoreNetKitChain
public import CoreNetKitEssentials
package import CoreNetKitHTTP

/// How the output of a chain is read: `.json`, `.text`, `.data`, `.model`, `.status`, or `.response(_:)` around one of them.
///
/// The ends of the builder take one: `build` and `pages` read whole responses, `events`, `lines`, `elements` and `parts` each
/// piece of one. The type of the output is inferred from where the chain is used, or named:
///
/// ```swift
/// struct User: Decodable, Sendable {
///     let name: String
/// }
///
/// let users = UrlChainsBuilder<String>().route(.get, "https://example.com/users").build(reading: .json([User].self))
/// ```
public struct Reading<Output: Sendable>: Sendable {
    /// Reads a piece of a response.
    package typealias Piece = @Sendable (Data) throws -> Output

    let node: @Sendable (_ next: Exchange, JsonCoding) -> ResponseNode<Output>
    package let piece: @Sendable (JsonCoding) -> Piece
}

extension Reading where Output: DTODecodable, Output.DTO.Raw == Json {
    /// JSON, as the model's DTO.
    public static var json: Reading {
        Reading {
            ResponseNode(next: $0, coding: $1)
        } piece: { coding in
            { try Output.from(dto: Output.DTO.from(raw: coding.applied(to: Json(undecoded: $0)))) }
        }
    }

    /// The same for this type.
    public static func json(_ type: Output.Type) -> Reading { .json }
}

extension Reading where Output: Decodable {
    /// JSON, as a plain `Decodable`.
    @_disfavoredOverload
    public static var json: Reading {
        Reading {
            ResponseNode(next: $0, coding: $1)
        } piece: { coding in
            { try coding.applied(to: Json(undecoded: $0)).decode(Output.self) }
        }
    }

    /// The same for this type.
    @_disfavoredOverload
    public static func json(_ type: Output.Type) -> Reading { .json }
}

extension Reading where Output: DTODecodable, Output.DTO.Raw: ResponsePayload {
    /// The raw data of the model's DTO, such as a format of your own; only of a whole response.
    public static var model: Reading { Reading(whole: ".model") { ResponseNode(next: $0, coding: $1) } }

    /// The same for this type.
    public static func model(_ type: Output.Type) -> Reading { .model }
}

extension Reading where Output == String {
    /// The text: of a response in its charset, of a piece in UTF-8.
    public static var text: Reading {
        Reading {
            ResponseNode(next: $0, coding: $1)
        } piece: { _ in
            { bytes in
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw NetworkError(.decodingFailed, "the piece is not utf-8 text", node: .response)
                }
                return text
            }
        }
    }
}

extension Reading where Output == Data {
    /// The bytes, unchanged.
    public static var data: Reading {
        // A copy: a slice would keep the whole chunk in memory.
        Reading { next, _ in
            ResponseNode(payloadOf: next)
        } piece: { _ in
            { $0.withUnsafeBytes { Data($0) } }
        }
    }
}

extension Reading where Output == Void {
    /// Nothing: only the status is checked, the content is ignored.
    public static var status: Reading {
        Reading { next, _ in
            ResponseNode(statusOf: next)
        } piece: { _ in
            { _ in }
        }
    }
}

extension Reading {
    /// The model with the status, the fields and the timings of its response; only of a whole response.
    ///
    /// `.response(.status)` is a response without a model.
    public static func response<Model>(_ model: Reading<Model>) -> Reading where Output == Response<Model> {
        Reading(whole: ".response") { next, coding in
            let inner = model.node(next, coding)
            return ResponseNode(next: next, requirements: inner.requirements) { response, context in
                Response(model: try inner.read(response, context), of: response)
            }
        }
    }

    /// The response in a form of a feature, which may read the content later.
    package static func by(
        accept: String = "*/*",
        delivery: ResponseDelivery? = nil,
        _ read: @escaping @Sendable (TransportResponse) throws -> Output
    ) -> Reading {
        Reading(whole: ".by") { next, _ in
            ResponseNode(next: next, requirements: ResponseRequirements(accept: accept, delivery: delivery)) {
                response,
                context in
                let output = try read(response)
                context.noteDecoded(Output.self, from: response)
                return output
            }
        }
    }

    /// A reading that needs a status and fields, which a piece does not have.
    private init(
        whole name: String,
        node: @escaping @Sendable (_ next: Exchange, JsonCoding) -> ResponseNode<Output>
    ) {
        self.init(node: node) { _ in
            { _ in
                let message =
                    "'\(name)' reads a whole response: read the pieces of a stream as '.json', '.text' or '.data'"
                throw NetworkError(.invalidChain, message, node: .response)
            }
        }
    }
}

// Overloads for the compiler's messages about types that do not fit; none of them can be called.
extension Reading {
    /// Not for this type.
    @available(*, unavailable, message: "what is read as JSON must be Decodable: 'struct Model: Codable, Sendable'")
    public static var json: Reading { json(Output.self) }

    /// Not for this type.
    @available(*, unavailable, message: "what is read as JSON must be Decodable: 'struct Model: Codable, Sendable'")
    public static func json(_ type: Output.Type) -> Reading { json }

    /// Not for this type.
    @available(*, unavailable, message: "what is read must be DTODecodable; for a plain Decodable write '.json'")
    public static var model: Reading { json }

    /// Not for this type.
    @available(*, unavailable, message: "what is read must be DTODecodable; for a plain Decodable write '.json'")
    public static func model(_ type: Output.Type) -> Reading { json }

    /// Not for this type.
    @available(*, unavailable, message: "'.text' reads a String: for a model write '.json'")
    public static var text: Reading { json }

    /// Not for this type.
    @available(*, unavailable, message: "'.data' reads a Data: for a model write '.json'")
    public static var data: Reading { json }

    /// Not for this type.
    @available(
        *,
        unavailable,
        message: "'.status' reads nothing: for a model write '.json', with its status '.response(.json)'"
    )
    public static var status: Reading { json }
}
