import CoreNetKitTransport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What stands behind a ``Json`` that nobody has looked into: a body, or one element of a body that is being decoded.
///
/// The tree of a body is built at most once, by the first who looks; an element's tree is a part of it.
final class JsonSource: Sendable {
    private enum State: Sendable {
        /// A body, unread.
        case unread
        /// An element, with the decoder that stands on it.
        case element(DecoderHandle)
        /// The same while that decoder is at work and may stand anywhere.
        case busy
        /// An element that the decoder has left.
        case part(of: JsonSource, path: [any CodingKey])
        case tree(Json)
        case failed(JsonError)
    }

    /// A decoder does not say whether it is `Sendable`; this one is only used by whoever holds the state's lock or has
    /// taken it out of the state.
    struct DecoderHandle: @unchecked Sendable {
        let decoder: any Decoder
        /// The type whose own `init(from:)` was all it took, see ``ElementList``.
        var entry: ObjectIdentifier?
    }

    /// The bytes of a body; `nil` for an element.
    let bytes: Data?
    /// See ``Json/noContent``.
    let isNoContent: Bool

    private let state: Locked<State>

    init(bytes: Data, isNoContent: Bool = false) {
        self.bytes = bytes
        self.isNoContent = isNoContent
        state = Locked(.unread)
    }

    /// A body that was written from a tree.
    init(bytes: Data, tree: Json) {
        self.bytes = bytes
        isNoContent = false
        state = Locked(.tree(tree))
    }

    /// An element under a decoder; whoever makes it calls ``leave(as:isKept:)`` before the decoder moves on.
    init(element decoder: any Decoder) {
        bytes = nil
        isNoContent = false
        state = Locked(.element(DecoderHandle(decoder: decoder)))
    }

    /// Takes the decoder that stands on this element, if there is one, until it is given back.
    func takeDecoder() -> DecoderHandle? {
        state.withLock { state in
            guard case .element(let handle) = state else { return nil }
            state = .busy
            return handle
        }
    }

    func giveBack(_ handle: DecoderHandle) {
        state.withLock { $0 = .element(handle) }
    }

    /// Ends the time in which the decoder stands on this element.
    ///
    /// - Parameters:
    ///   - type: The type of the element.
    ///   - isKept: Whether somebody still holds the element, who may want to look inside later.
    /// - Returns: Whether reading the element came down to `init(from:)` of its type.
    func leave(as type: Any.Type, isKept: Bool) -> Bool {
        state.withLock { state in
            guard case .element(let handle) = state else { return false }
            if isKept { state = Self.part(at: handle.decoder) }
            return handle.entry == ObjectIdentifier(type)
        }
    }

    /// Whether the value is `null`, when that shows without building a tree.
    var isNull: Bool? {
        if let bytes {
            return bytes.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 } == UInt8(ascii: "n")
                ? nil : false
        }
        guard let handle = takeDecoder() else { return nil }
        defer { giveBack(handle) }
        return (try? handle.decoder.singleValueContainer())?.decodeNil()
    }

    /// The value behind the bytes.
    func tree() throws(JsonError) -> Json {
        try state.withLock { state -> Result<Json, JsonError> in
            if case .element(let handle) = state { state = Self.part(at: handle.decoder) }
            let result = read(state)
            if case .busy = state { return result }
            state =
                switch result {
                case .success(let tree): .tree(tree)
                case .failure(let error): .failed(error)
                }
            return result
        }.get()
    }

    private func read(_ state: State) -> Result<Json, JsonError> {
        Result { () throws(JsonError) in
            switch state {
            case .unread: return try Json(parsing: bytes ?? Data())
            case .part(let body, let path): return try body.tree().part(at: path)
            case .tree(let tree): return tree
            case .failed(let error): throw error
            case .element, .busy: throw JsonError(.unsupported, "the value is being decoded by somebody else")
            }
        }
    }

    private static func part(at decoder: any Decoder) -> State {
        guard let body = DecodingRoot.body(ofElement: decoder) else {
            return .failed(JsonError(.unsupported, "the value belongs to no body"))
        }
        return .part(of: body, path: decoder.codingPath)
    }
}

extension Json {
    /// The value at the end of a coding path.
    func part(at path: [any CodingKey]) throws(JsonError) -> Json {
        var part = self
        for key in path {
            guard let next = part.child(at: key) else {
                throw JsonError(.unsupported, path: path.jsonPath, "no such value")
            }
            part = next
        }
        return part
    }

    private func child(at key: any CodingKey) -> Json? {
        switch tree {
        case .array: key.intValue.flatMap { self[$0] }
        case .object: self[key.stringValue]
        default: nil
        }
    }
}
