/// Decodes a type a second time to find out where it failed.
///
/// Foundation's decoder says of a number that does not fit its type only that the JSON is not valid, without a path.
struct Traced<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(from: TracingDecoder(base: decoder))
    }
}

private struct TracingDecoder: Decoder {
    let base: any Decoder
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracingKeyed(base: try base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyed(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TracingSingle(base: try base.singleValueContainer())
    }
}

/// Decodes a value that decodes nothing else, and says where it was when the decoder did not.
private func traced<Value>(_ path: [any CodingKey], _ type: Any.Type, _ step: () throws -> Value) throws -> Value {
    do {
        return try step()
    } catch  where error.saysNothing {
        throw DecodingError.dataCorrupted(
            .init(codingPath: path, debugDescription: "expected \(type)", underlyingError: NumberOutOfRange())
        )
    }
}

extension Error {
    /// Whether Foundation's decoder leaves open what is wrong: broken JSON or a number that does not fit.
    ///
    /// While it decodes it throws an error of its own, which it turns into "not valid JSON" at the end.
    fileprivate var saysNothing: Bool {
        switch self as? DecodingError {
        case .dataCorrupted(let context): context.saysNothing
        case nil: true
        default: false
        }
    }
}

extension DecodingError.Context {
    /// Whether this is all that Foundation's decoder says of broken JSON and of numbers that do not fit.
    var saysNothing: Bool { codingPath.isEmpty && debugDescription == "The given data was not valid JSON." }
}

/// Marks an error that ``Traced`` found.
struct NumberOutOfRange: Error {}

private struct TracingKeyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard Json.hasOwnForm(type) else { return try base.decode(Traced<Value>.self, forKey: key).value }
        return try traced(codingPath + [key], type) { try base.decode(type, forKey: key) }
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(TracingKeyed<NestedKey>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        TracingUnkeyed(base: try base.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { TracingDecoder(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder {
        TracingDecoder(base: try base.superDecoder(forKey: key))
    }
}

private struct TracingUnkeyed: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard Json.hasOwnForm(type) else { return try base.decode(Traced<Value>.self).value }
        return try traced(codingPath + [AnyKey(intValue: currentIndex)], type) { try base.decode(type) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        KeyedDecodingContainer(TracingKeyed<NestedKey>(base: try base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingUnkeyed(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { TracingDecoder(base: try base.superDecoder()) }
}

private struct TracingSingle: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard Json.hasOwnForm(type) else { return try base.decode(Traced<Value>.self).value }
        return try traced(codingPath, type) { try base.decode(type) }
    }
}

// Scalars have requirements of their own, all alike.

extension TracingKeyed {
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try scalar(key) { try base.decode(type, forKey: key) }
    }

    private func scalar<Value>(_ key: Key, _ step: () throws -> Value) throws -> Value {
        try traced(codingPath + [key], Value.self, step)
    }
}

extension TracingUnkeyed {
    mutating func decode(_ type: Bool.Type) throws -> Bool { try scalar { try base.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Int.Type) throws -> Int { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try scalar { try base.decode(type) } }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try scalar { try base.decode(type) } }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try scalar { try base.decode(type) } }

    private func scalar<Value>(_ step: () throws -> Value) throws -> Value {
        try traced(codingPath + [AnyKey(intValue: currentIndex)], Value.self, step)
    }
}

extension TracingSingle {
    func decode(_ type: Bool.Type) throws -> Bool { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: String.Type) throws -> String { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Double.Type) throws -> Double { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Float.Type) throws -> Float { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Int.Type) throws -> Int { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Int8.Type) throws -> Int8 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Int16.Type) throws -> Int16 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Int32.Type) throws -> Int32 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: Int64.Type) throws -> Int64 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: UInt.Type) throws -> UInt { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try traced(codingPath, type) { try base.decode(type) } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try traced(codingPath, type) { try base.decode(type) } }
}
