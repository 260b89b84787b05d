import CoreNetKitJson

/// The members of an object that is being encoded.
struct ParameterKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }

    func superEncoder() -> any Encoder { member(AnyKey(stringValue: "super")) }

    func superEncoder(forKey key: Key) -> any Encoder { member(key) }

    private func name(_ key: some CodingKey) -> String {
        encoder.isDictionary ? key.stringValue : encoder.coding.keys.encoded(key.stringValue)
    }

    /// The encoder of a member; it replaces any other with that name.
    private func member(_ key: some CodingKey) -> ParameterEncoder {
        let member = encoder.at(key)
        set(member.node, key)
        return member
    }

    private func set(_ node: ParameterNode, _ key: some CodingKey) {
        guard case .object(var members) = encoder.node.content else { return }
        encoder.node.content = .open
        members[name(key)] = node
        encoder.node.content = .object(members)
    }

    /// The encoder of a nested container; two with the same name share one.
    private func nested(_ key: Key) -> ParameterEncoder {
        guard case .object(let members) = encoder.node.content, let node = members[name(key)] else {
            return member(key)
        }
        return encoder.at(key, node)
    }
}

// MARK: - Values

extension ParameterKeyedContainer {
    func encodeNil(forKey key: Key) { member(key).encodeNil() }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let member = encoder.at(key)
        try member.encode(value)
        set(member.node, key)
    }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        if let value { try encode(value, forKey: key) } else { encodeNil(forKey: key) }
    }

    func encode(_ value: Bool, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: String, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: some FixedWidthInteger & Encodable, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: some BinaryFloatingPoint & Encodable, forKey key: Key) throws { try member(key).encode(value) }

    // These have defaults, which are chosen before the generic one.
    func encode(_ value: Int128, forKey key: Key) { member(key).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) { member(key).encode(value) }

    // Optional properties of synthesized models are encoded here: `nil` is a value for the strategies.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try member(key).encode(value) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try member(key).encode(value) }
}

/// The elements of an array that is being encoded.
struct ParameterUnkeyedContainer: UnkeyedEncodingContainer {
    let encoder: ParameterEncoder

    var codingPath: [any CodingKey] { encoder.codingPath }

    var count: Int { if case .array(let elements) = encoder.node.content { elements.count } else { 0 } }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        element().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

    func superEncoder() -> any Encoder { element() }

    private func element() -> ParameterEncoder {
        let element = encoder.at(AnyKey(intValue: count))
        append(element.node)
        return element
    }

    private func append(_ node: ParameterNode) {
        guard case .array(var elements) = encoder.node.content else { return }
        encoder.node.content = .open
        elements.append(node)
        encoder.node.content = .array(elements)
    }

    func encodeNil() { element().encodeNil() }

    func encode<Value: Encodable>(_ value: Value) throws {
        let element = encoder.at(AnyKey(intValue: count))
        try element.encode(value)
        append(element.node)
    }

    // These have defaults, which are chosen before the generic one.
    func encode(_ value: Int128) { element().encode(value) }
    func encode(_ value: UInt128) { element().encode(value) }
}
