struct JsonUnkeyedContainer: UnkeyedDecodingContainer {
    private let document: JsonDocument
    private let array: UInt32
    private var next: UInt32
    private var ordinal: UInt32 = 0

    init(of array: JsonDecoder) {
        document = array.document
        self.array = array.index
        next = array.index + 2
    }

    var codingPath: [any CodingKey] { JsonDecoder.path(to: array, of: document) }
    var count: Int? { Int(document.size(of: array)) }
    var isAtEnd: Bool { next >= document.end(of: array) }
    var currentIndex: Int { Int(ordinal) }

    mutating func decodeNil() throws -> Bool {
        let isNil = try element(Never.self).decodeNil()
        if isNil { advance() }
        return isNil
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try step([String: Any].self) { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try step([Any].self) { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try step((any Decoder).self) { $0 } }

    /// Decodes the next element, and advances if that succeeded.
    @inline(__always)
    private mutating func step<Value>(_ type: Any.Type, _ read: (JsonDecoder) throws -> Value) throws -> Value {
        let value = try read(element(type))
        advance()
        return value
    }

    @inline(__always)
    private mutating func advance() {
        next = document.end(of: next)
        ordinal += 1
    }

    @inline(__always)
    private func element(_ type: Any.Type) throws -> JsonDecoder {
        guard !isAtEnd else { throw atEnd(type) }
        return JsonDecoder(document, at: next, in: array, ordinal: ordinal)
    }

    @inline(never)
    private func atEnd(_ type: Any.Type) -> DecodingError {
        let path = codingPath + [AnyKey(intValue: currentIndex)]
        let message = "expected \(DecodingFailure.expected(type)), found the end of the array"
        return .valueNotFound(type, .init(codingPath: path, debugDescription: message))
    }

    // MARK: - Values

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try step(type) { try $0.value(type) }
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try step(type) { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try step(type) { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try step(type) { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try step(type) { try $0.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try step(type) { try $0.integer(type) } }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try step(type) { try $0.integer(type) } }
}
