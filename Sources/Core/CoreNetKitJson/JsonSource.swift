package import CoreNetKitEssentials
package import CoreNetKitSystem
import Synchronization

/// The source of a ``Json`` whose tree is built on first access: a body, or one value of a parsed body.
package final class JsonSource: Sendable {
    package enum Origin: Sendable {
        case body(Data)
        /// See ``Json/noContent``.
        case noContent
        /// A reader of many values of one type passes a mark along with the first one: it becomes the type if that
        /// decodes itself only by its `init(from:)`.
        case part(of: JsonDocument, at: UInt32, mark: Locked<ObjectIdentifier?>? = nil)
    }

    private final class Tree: Sendable {
        let result: Result<Json, JsonError>

        init(_ result: Result<Json, JsonError>) { self.result = result }
    }

    private let origin: Origin
    private let known = AtomicLazyReference<Tree>()

    package init(_ origin: Origin) { self.origin = origin }

    /// The bytes of a body; `nil` for a part of one.
    package var bytes: Data? {
        switch origin {
        case .body(let bytes): bytes
        case .noContent: Data()
        case .part: nil
        }
    }

    package var isNoContent: Bool { if case .noContent = origin { true } else { false } }

    /// Whether the value is `null`, if that can be seen without building a tree.
    package var isNull: Bool? {
        switch origin {
        case .body(let bytes):
            // No other value begins like this, except after a byte order mark.
            let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
            return first == UInt8(ascii: "n") || first == 0xEF ? nil : false
        case .noContent: return false
        case .part(let document, let index, _): return document[index].kind == .null
        }
    }

    package func tree() throws(JsonError) -> Json {
        if let tree = known.load() { return try tree.result.get() }
        let tree = Result { () throws(JsonError) in
            if case .part(let document, let index, _) = origin { return document.tree(at: index) }
            return try Json(parsing: bytes ?? Data())
        }
        return try known.storeIfNil(Tree(tree)).result.get()
    }

    /// The decoder of the value; it throws if a body is not JSON.
    package func decoder(coding: JsonCoding) throws(JsonError) -> JsonDecoder {
        if case .part(let document, let index, _) = origin { return JsonDecoder(document, at: index, coding: coding) }
        return JsonDecoder(try .reading(bytes ?? Data(), coding: coding), at: 0, in: 0)
    }

    /// Records that this type decodes the value only by `init(from:)`.
    package func markPlain(_ type: Any.Type) {
        if case .part(_, _, let mark?) = origin { mark.withLock { $0 = ObjectIdentifier(type) } }
    }
}

/// A model in place of its JSON: `toRaw()` has no parameter for the chain's options, so it is encoded when it is
/// written.
package final class JsonModel: Sendable {
    /// A change of the JSON that was made before it existed.
    package enum Change: Sendable {
        case member(String, Json?)
        case element(Int, Json?)
    }

    package let model: any Encodable & Sendable
    package let changes: [Change]
    /// Whether the model has no `toRaw()` of its own.
    package let isPlain: Bool

    package init(_ model: any Encodable & Sendable, changes: [Change] = [], isPlain: Bool = false) {
        (self.model, self.changes, self.isPlain) = (model, changes, isPlain)
    }

    func changed(_ change: Change) -> JsonModel { JsonModel(model, changes: changes + [change]) }

    package func data(_ coding: JsonCoding) throws -> Data {
        changes.isEmpty ? try coding.encode(model) : try tree(coding).with(coding).encoded()
    }

    package func tree(_ coding: JsonCoding) throws -> Json {
        var json = try Json(parsing: coding.encode(model))
        for change in changes {
            switch change {
            case .member(let name, let value): json[name] = value
            case .element(let index, let value): json[index] = value
            }
        }
        return json
    }
}

extension JsonError {
    /// Runs a function and converts its error to this type.
    static func wrapping<Result>(_ body: () throws -> Result) throws(JsonError) -> Result {
        do { return try body() } catch {
            switch error {
            case let error as JsonError: throw error
            case EncodingError.invalidValue(_, let context):
                throw JsonError(.unsupported, path: context.codingPath.jsonPath, context.debugDescription)
            default: throw JsonError(.unsupported, "cannot be written as JSON: \(error)")
            }
        }
    }
}
