/// Encodes one value of a ``JsonDraft``: a position, small enough to travel in an `any Encoder` without an allocation.
package struct JsonEncoder: Encoder {
    let draft: JsonDraft
    /// The node of the value.
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

/// An encoder is its own single value container.
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
