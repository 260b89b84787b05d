import CoreNetKitSystem

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// What stands behind a ``Json`` that nobody has looked into: a body, or one value of a body that was read.
///
/// The tree is built at most once, by the first who looks. The lock's state is all there is, so that a body takes one
/// allocation.
package struct JsonSource: Sendable {
    package enum Origin: Sendable {
        case body(Data)
        /// See ``Json/noContent``.
        case noContent
        case part(of: JsonDocument, at: UInt32)
    }

    private struct State: Sendable {
        let origin: Origin
        var tree: Result<Json, JsonError>?
        /// The type that was decoded without code of its own, see `EntryReader`.
        var plainType: ObjectIdentifier?
    }

    private let state: Locked<State>

    package init(_ origin: Origin) {
        state = Locked(State(origin: origin))
    }

    private var origin: Origin { state.withLock(\.origin) }

    /// The bytes of a body; `nil` for a part of one.
    package var bytes: Data? {
        switch origin {
        case .body(let bytes): bytes
        case .noContent: Data()
        case .part: nil
        }
    }

    package var isNoContent: Bool {
        if case .noContent = origin { true } else { false }
    }

    /// Whether the value is `null`, when that shows without building a tree.
    package var isNull: Bool? {
        switch origin {
        case .body(let bytes):
            // Nothing else begins like this, except behind a byte order mark.
            let first = bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
            return first == UInt8(ascii: "n") || first == 0xEF ? nil : false
        case .noContent: return false
        case .part(let document, let index): return document[index].kind == .null
        }
    }

    /// The value behind the bytes.
    package func tree() throws(JsonError) -> Json {
        try state.withLock { state in
            if let tree = state.tree { return tree }
            let tree = Result { () throws(JsonError) in
                switch state.origin {
                case .body(let bytes): try Json(parsing: bytes)
                case .noContent: try Json(parsing: Data())
                case .part(let document, let index): document.tree(at: index)
                }
            }
            state.tree = tree
            return tree
        }.get()
    }

    /// The decoder of the value.
    ///
    /// - Parameters:
    ///   - coding: How keys and dates stand in the JSON.
    ///   - plainType: The type to decode, if it has no code of its own.
    /// - Returns: The decoder.
    /// - Throws: ``JsonError`` when a body is not JSON.
    package func decoder(coding: JsonCoding, plainType: Any.Type? = nil) throws(JsonError) -> JsonDecoder {
        let origin = state.withLock { state in
            state.plainType = plainType.map { ObjectIdentifier($0) }
            return state.origin
        }
        switch origin {
        case .body(let bytes): return JsonDecoder(try .reading(bytes), coding: coding)
        case .noContent: return JsonDecoder(try .reading(Data()), coding: coding)
        case .part(let document, let index): return JsonDecoder(document, at: index, coding: coding)
        }
    }

    /// Whether the value was decoded as that type by nothing but `init(from:)`.
    package func wasPlain(_ type: Any.Type) -> Bool {
        state.withLock(\.plainType) == ObjectIdentifier(type)
    }
}
