/// Decodes a value of a ``JsonDocument``: a position in its list, small enough for an `any Decoder` without an allocation.
package struct JsonDecoder: Decoder {
    package let document: JsonDocument
    /// The position of the value.
    package let index: UInt32
    /// The container of the value.
    private let parent: UInt32
    /// Its position in the container, if that is an array.
    private let ordinal: UInt32
    /// Whether the value is a dictionary, whose keys no strategy changes.
    package var isDictionary = false

    package init(_ document: JsonDocument, at index: UInt32 = 0, coding: JsonCoding) {
        self.document = document.viewed(from: index, coding: coding)
        self.index = index
        (parent, ordinal) = (index, 0)
    }

    @inline(__always)
    package init(_ document: JsonDocument, at index: UInt32, in parent: UInt32, ordinal: UInt32 = 0) {
        self.document = document
        self.index = index
        self.parent = parent
        self.ordinal = ordinal
    }

    package var coding: JsonCoding { document.coding }
    package var codingPath: [any CodingKey] { document.path(to: index, in: parent, at: ordinal) }
    package var userInfo: [CodingUserInfoKey: Any] { coding.userInfo }

    @inline(__always)
    package var kind: JsonToken.Kind { document[index].kind }

    static func path(to index: UInt32, of document: JsonDocument) -> [any CodingKey] {
        let place = document[index + 1].place
        return document.path(to: index, in: place.parent, at: place.ordinal)
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try expectObject()
        return if needsNames { container(names: names()) } else { container(names: nil) }
    }

    @inline(__always)
    private func container<Key: CodingKey>(names: [String: UInt32]?) -> KeyedDecodingContainer<Key> {
        guard let factory = FactoryTable.factory(for: Key.self) else {
            let cursor = JsonCursor(document, object: index, names: names, factory: nil)
            return KeyedDecodingContainer(JsonKeyedContainer<Key>(cursor: cursor))
        }
        return factory._withUnsafeGuaranteedRef {
            document.cursors.container(of: document, at: index, names: names, factory: $0)
        }
    }

    package func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try expectArray()
        return JsonUnkeyedContainer(of: self)
    }

    package func singleValueContainer() -> any SingleValueDecodingContainer { self }

    package func expectArray() throws { guard kind == .array else { throw mismatch([Any].self) } }

    @inline(__always)
    package func expectObject() throws {
        guard kind == .object else { throw mismatch([String: Any].self) }
    }

    /// Whether a linear search of the names may be wrong or slow.
    @inline(__always)
    private var needsNames: Bool { document.coding.convertsNames || document.isIndexed(index) }

    @inline(never)
    private func names() -> [String: UInt32]? {
        guard document.coding.convertsNames, !isDictionary else { return document.index(of: index) }
        let keys = coding.keys
        return document.index(of: index) { keys.decoded($0) }
    }

    // MARK: - Failures

    @inline(never)
    package func mismatch(_ type: Any.Type) -> DecodingError {
        let message = "expected \(DecodingFailure.expected(type)), found \(document.kind(of: index))"
        let context = DecodingError.Context(codingPath: codingPath, debugDescription: message)
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

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

extension JsonDecoder: SingleValueDecodingContainer {
    package func decodeNil() -> Bool { kind == .null }

    package func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    package func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    package func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    package func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    package func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    package func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    package func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    package func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    package func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    package func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    package func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    package func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try value(type) }
}
