/// Encodes one value of a ``JsonDraft``: a position, small enough to travel in an `any Encoder` without an allocation.
package struct JsonEncoder: Encoder {
    let draft: JsonDraft
    let node: UInt32
    /// Whether the value is a dictionary, whose keys no strategy changes.
    var isDictionary = false

    package var codingPath: [any CodingKey] { draft.path(to: node) }
    package var userInfo: [CodingUserInfoKey: Any] { draft.coding.userInfo }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        draft.open(.object, at: node)
        let convertsNames = draft.convertsNames && !isDictionary
        if let factory = FactoryTable.factory(for: type) {
            return factory._withUnsafeGuaranteedRef { $0.encoding(draft, node, convertsNames: convertsNames) }
        }
        return KeyedEncodingContainer(JsonKeyedEncoder<Key>(draft: draft, node: node, convertsNames: convertsNames))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        draft.open(.array, at: node)
        return JsonUnkeyedEncoder(draft: draft, node: node)
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension JsonEncoder: SingleValueEncodingContainer {
    package func encodeNil() { draft.write(at: node) { $0.append("null" as StaticString) } }
    package func encode(_ value: Bool) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: String) { draft.write(at: node) { _ = $0.appendQuoted(value) } }
    package func encode(_ value: Double) throws { try draft.writeFloat(value, at: node) }
    package func encode(_ value: Float) throws { try draft.writeFloat(value, at: node) }
    package func encode(_ value: Int) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: Int8) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: Int16) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: Int32) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: Int64) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: Int128) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt8) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt16) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt32) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt64) { draft.write(at: node) { $0.append(value) } }
    package func encode(_ value: UInt128) { draft.write(at: node) { $0.append(value) } }

    package func encode<Value: Encodable>(_ value: Value) throws {
        try draft.write(value, at: node)
        // Encoding nothing is an error only at the top, and this is not the top value.
        if draft.nodes[Int(node)].kind == .open { draft.open(.object, at: node) }
    }
}

struct JsonKeyedEncoder<Key: CodingKey>: JsonDraftContainer {
    let draft: JsonDraft
    let node: UInt32
    let convertsNames: Bool

    var codingPath: [any CodingKey] { draft.path(to: node) }

    @inline(__always)
    private func member(_ key: some CodingKey) -> UInt32 {
        convertsNames
            ? draft.addMember(draft.converted(key.stringValue), to: node) : draft.addMember(key.stringValue, to: node)
    }

    func encodeNil(forKey key: Key) {
        let member = member(key)
        draft.append("null" as StaticString)
        draft.close(member)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        JsonEncoder(draft: draft, node: nested(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        JsonEncoder(draft: draft, node: nested(key)).unkeyedContainer()
    }

    private func nested(_ key: Key) -> UInt32 {
        let member = member(key)
        draft.nodes[Int(member)].isNested = true
        return member
    }

    func superEncoder() -> any Encoder { JsonEncoder(draft: draft, node: member(AnyKey(stringValue: "super"))) }

    func superEncoder(forKey key: Key) -> any Encoder { JsonEncoder(draft: draft, node: member(key)) }

    // MARK: - Values

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try draft.addChild(to: node) { try draft.write(value, at: member(key)) }
    }

    @inline(__always)
    private func integer(_ value: some FixedWidthInteger, _ key: Key) {
        let member = member(key)
        draft.append(value)
        draft.close(member)
    }

    func encode(_ value: Bool, forKey key: Key) {
        let member = member(key)
        draft.append(value)
        draft.close(member)
    }

    func encode(_ value: String, forKey key: Key) {
        let member = member(key)
        _ = draft.appendQuoted(value)
        draft.close(member)
    }

    private func float(_ value: some JsonFloat, _ key: Key) throws {
        try draft.addChild(to: node) { try draft.writeFloat(value, at: member(key)) }
    }

    func encode(_ value: Double, forKey key: Key) throws { try float(value, key) }
    func encode(_ value: Float, forKey key: Key) throws { try float(value, key) }
    func encode(_ value: Int, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int8, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int16, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int32, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int64, forKey key: Key) { integer(value, key) }
    func encode(_ value: Int128, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt8, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt16, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt32, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt64, forKey key: Key) { integer(value, key) }
    func encode(_ value: UInt128, forKey key: Key) { integer(value, key) }
}

struct JsonUnkeyedEncoder: UnkeyedEncodingContainer {
    let draft: JsonDraft
    let node: UInt32

    var codingPath: [any CodingKey] { draft.path(to: node) }
    var count: Int { Int(draft.nodes[Int(node)].count) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        element.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element.unkeyedContainer() }

    func superEncoder() -> any Encoder { element }

    private var element: JsonEncoder { JsonEncoder(draft: draft, node: draft.addElement(to: node)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        try draft.addChild(to: node) { try draft.write(value, at: draft.addElement(to: node)) }
    }

    func encodeNil() { element.encodeNil() }
    func encode(_ value: Bool) { element.encode(value) }
    func encode(_ value: String) { element.encode(value) }
    func encode(_ value: Double) throws { try encode(float: value) }
    func encode(_ value: Float) throws { try encode(float: value) }
    func encode(_ value: Int) { element.encode(value) }
    func encode(_ value: Int8) { element.encode(value) }
    func encode(_ value: Int16) { element.encode(value) }
    func encode(_ value: Int32) { element.encode(value) }
    func encode(_ value: Int64) { element.encode(value) }
    func encode(_ value: Int128) { element.encode(value) }
    func encode(_ value: UInt) { element.encode(value) }
    func encode(_ value: UInt8) { element.encode(value) }
    func encode(_ value: UInt16) { element.encode(value) }
    func encode(_ value: UInt32) { element.encode(value) }
    func encode(_ value: UInt64) { element.encode(value) }
    func encode(_ value: UInt128) { element.encode(value) }

    private func encode(float value: some JsonFloat) throws {
        try draft.addChild(to: node) { try draft.writeFloat(value, at: draft.addElement(to: node)) }
    }
}
