/// The members of an object.
struct JsonKeyedContainer<Key: CodingKey>: JsonPlaceContainer {
    // Copied for each member that is asked for: one reference and no more.
    let document: JsonDocument
    let index: UInt32

    var codingPath: [any CodingKey] { JsonDecoder.path(to: index, of: document) }

    var allKeys: [Key] {
        var keys: [Key] = []
        guard let names = document.names else {
            document.forEachName(of: self.index) { index in
                let name = document.string(at: index)
                guard document.value(of: name, in: self.index) == index + 1 else { return }
                if let key = Key(stringValue: name) { keys.append(key) }
            }
            return keys
        }
        keys.reserveCapacity(names.count)
        for (name, _) in names.sorted(by: { $0.value < $1.value }) {
            if let key = Key(stringValue: name) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { find(key) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(of: AnyKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(of: key) }

    private func superDecoder(of key: some CodingKey) throws -> any Decoder {
        if let member = find(key) { return decoder(at: member) }
        // As `JSONDecoder` does: a member that is not there is `null` to whoever asks for its decoder.
        guard let null = JsonDocument.null(at: codingPath + [key], coding: document.coding) else { throw missing(key) }
        return JsonDecoder(null, coding: document.coding)
    }

    @inline(__always)
    private func decoder(at member: UInt32) -> JsonDecoder { JsonDecoder(document.unnamed, at: member, in: index) }

    @inline(__always)
    private func find(_ key: some CodingKey) -> UInt32? {
        let name = key.stringValue
        if let names = document.names { return names[name] }
        return document.value(of: name, in: index)
    }

    @inline(__always)
    private func member(_ key: Key) throws -> JsonDecoder {
        guard let member = find(key) else { throw missing(key) }
        return decoder(at: member)
    }

    /// The member of that name, unless it is not there or `null`.
    @inline(__always)
    private func memberIfPresent(_ key: Key) -> JsonDecoder? {
        guard let member = find(key), document[member].kind != .null else { return nil }
        return decoder(at: member)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no member \"\(key.stringValue)\""))
    }
}

// MARK: - Values

extension JsonKeyedContainer {
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).value(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try memberIfPresent(key)?.value(type)
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try member(key).integer(type) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try member(key).integer(type) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try member(key).integer(type) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try member(key).integer(type) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try member(key).integer(type) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try member(key).integer(type) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try member(key).integer(type) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try member(key).integer(type) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try member(key).integer(type) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try member(key).integer(type) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try member(key).integer(type) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try member(key).integer(type) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try memberIfPresent(key)?.decode(type)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try memberIfPresent(key)?.decode(type)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try memberIfPresent(key)?.decode(type)
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try memberIfPresent(key)?.decode(type)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try memberIfPresent(key)?.integer(type)
    }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try memberIfPresent(key)?.integer(type)
    }
}
