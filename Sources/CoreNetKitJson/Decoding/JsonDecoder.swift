/// Decodes a value of a ``JsonDocument``: a place in a list, which copies freely and changes nothing.
///
/// Small enough to travel in an `any Decoder` without an allocation. The coding path is found in the document when somebody
/// asks: it has the names as they are written there.
package struct JsonDecoder: Decoder {
    package let document: JsonDocument
    /// Where the value stands.
    package let index: UInt32
    /// The value that paths begin at.
    package let base: UInt32
    package let coding: JsonCoding
    /// Whether the value is a dictionary, whose keys no strategy changes.
    package var isDictionary = false

    /// Decodes a value of its own.
    package init(_ document: JsonDocument, at index: UInt32 = 0, coding: JsonCoding) {
        self.document = document
        self.index = index
        base = index
        self.coding = coding
    }

    private init(_ index: UInt32, of parent: JsonDecoder) {
        document = parent.document
        self.index = index
        base = parent.base
        coding = parent.coding
    }

    package var codingPath: [any CodingKey] { document.path(to: index, from: base) }
    package var userInfo: [CodingUserInfoKey: Any] { coding.userInfo }

    @inline(__always)
    package var kind: JsonToken.Kind { document[index].kind }

    /// The decoder of a value in this one.
    @inline(__always)
    package func at(_ index: UInt32) -> JsonDecoder { JsonDecoder(index, of: self) }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try expectObject()
        return KeyedDecodingContainer(JsonKeyedContainer<Key>(decoder: self, names: names()))
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try expectArray()
        return JsonUnkeyedContainer(of: self)
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer { self }

    package func expectArray() throws {
        guard kind == .array else { throw mismatch([Any].self) }
    }

    package func expectObject() throws {
        guard kind == .object else { throw mismatch([String: Any].self) }
    }

    private func names() -> [String: UInt32]? {
        guard coding.convertsNames, !isDictionary else { return document.index(of: index) }
        let keys = coding.keys
        return document.index(of: index) { keys.decoded($0) }
    }
}

// MARK: - Failures

extension JsonDecoder {
    /// Says that the value is of another kind than the type needs.
    @inline(never)
    package func mismatch(_ type: Any.Type) -> DecodingError {
        let found = document.kind(of: index)
        let context = DecodingError.Context(
            codingPath: codingPath,
            debugDescription: "expected \(DecodingFailure.expected(type)), found \(found)"
        )
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    /// Says that the number is none of the type's.
    @inline(never)
    package func misfit(_ type: Any.Type) -> DecodingError {
        let text = document.string(at: index)
        let shown = text.utf8.count > 64 ? "\(text.prefix(64))…" : text
        return corrupted("expected \(type), found number \(shown) that does not fit")
    }

    @inline(never)
    package func corrupted(_ message: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: message))
    }
}
