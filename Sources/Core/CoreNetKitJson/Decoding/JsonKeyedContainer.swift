struct JsonKeyedContainer<Key: CodingKey>: JsonCursorContainer {
    // Copied for each requested member, so it consists of a single reference.
    let cursor: JsonCursor

    private var document: JsonDocument { cursor.document }

    var codingPath: [any CodingKey] { JsonDecoder.path(to: cursor.object, of: document) }

    var allKeys: [Key] {
        var keys: [Key] = []
        guard let names = cursor.names else {
            document.forEachName(of: cursor.object) { index in
                let name = document.string(at: index)
                guard document.value(of: name, in: cursor.object) == index + 1 else { return }
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
    ) throws -> KeyedDecodingContainer<NestedKey> { try member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try superDecoder(of: AnyKey(stringValue: "super")) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try superDecoder(of: key) }

    private func superDecoder(of key: some CodingKey) throws -> any Decoder {
        if let member = find(key) { return decoder(at: member) }
        // As `JSONDecoder` does: the decoder of a missing member reads `null`.
        guard let null = JsonDocument.null(at: codingPath + [key], coding: document.coding) else { throw missing(key) }
        return JsonDecoder(null, coding: document.coding)
    }

    @inline(__always)
    private func decoder(at member: UInt32) -> JsonDecoder { JsonDecoder(document, at: member, in: cursor.object) }

    @inline(__always)
    private func member(_ key: Key) throws -> JsonDecoder { decoder(at: try index(of: key)) }

    @inline(__always)
    private func find(_ key: some CodingKey) -> UInt32? {
        let name = key.stringValue
        if cursor.hasNames, let names = cursor.names { return names[name] }
        let object = cursor.object
        return read { $0.value(of: name, in: object) }
    }

    @inline(__always)
    private func index(of key: Key) throws -> UInt32 {
        guard let member = find(key) else { throw missing(key) }
        return member
    }

    @inline(__always)
    private func indexIfPresent(of key: Key) -> UInt32? {
        guard let member = find(key), read({ $0[member].kind }) != .null else { return nil }
        return member
    }

    /// Reads from the document without retaining it: the document exists until the cursor is moved.
    @inline(__always)
    private func read<Value>(_ body: (JsonDocument) -> Value) -> Value {
        cursor.unretained._withUnsafeGuaranteedRef(body)
    }

    @inline(never)
    private func missing(_ key: some CodingKey) -> DecodingError {
        .keyNotFound(key, .init(codingPath: codingPath, debugDescription: "no member \"\(key.stringValue)\""))
    }

    // MARK: - Values

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try member(key).value(type) }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try indexIfPresent(of: key).map { try decoder(at: $0).value(type) }
    }

    // `Json` first: a decoder has a reference to the document, which must be retained and released.

    @inline(__always)
    private func bool(at index: UInt32) throws -> Bool {
        try read { $0.bool(at: index) } ?? decoder(at: index).decode(Bool.self)
    }

    @inline(__always)
    private func text(at index: UInt32) throws -> String {
        try read { $0.text(at: index) } ?? decoder(at: index).decode(String.self)
    }

    @inline(__always)
    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, at index: UInt32) throws -> Integer {
        try read { $0.wholeNumber(at: index, as: type) } ?? decoder(at: index).integer(type)
    }

    @inline(__always)
    private func integer<Integer: FixedWidthInteger>(_ type: Integer.Type, ifPresent key: Key) throws -> Integer? {
        try indexIfPresent(of: key).map { try integer(type, at: $0) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try bool(at: index(of: key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try text(at: index(of: key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try member(key).decode(type) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, at: index(of: key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, at: index(of: key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, at: index(of: key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, at: index(of: key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, at: index(of: key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, at: index(of: key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try integer(type, at: index(of: key)) }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try indexIfPresent(of: key).map { try bool(at: $0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try indexIfPresent(of: key).map { try text(at: $0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try indexIfPresent(of: key).map { try decoder(at: $0).decode(type) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try indexIfPresent(of: key).map { try decoder(at: $0).decode(type) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try integer(type, ifPresent: key) }
    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try integer(type, ifPresent: key) }
}
