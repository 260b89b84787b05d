import CoreNetKitJson

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

    func encode(_ value: Bool) { element().encode(value) }
    func encode(_ value: String) { element().encode(value) }
    func encode(_ value: Double) throws { try element().encode(value) }
    func encode(_ value: Float) throws { try element().encode(value) }
    func encode(_ value: Int) { element().encode(value) }
    func encode(_ value: Int8) { element().encode(value) }
    func encode(_ value: Int16) { element().encode(value) }
    func encode(_ value: Int32) { element().encode(value) }
    func encode(_ value: Int64) { element().encode(value) }
    func encode(_ value: Int128) { element().encode(value) }
    func encode(_ value: UInt) { element().encode(value) }
    func encode(_ value: UInt8) { element().encode(value) }
    func encode(_ value: UInt16) { element().encode(value) }
    func encode(_ value: UInt32) { element().encode(value) }
    func encode(_ value: UInt64) { element().encode(value) }
    func encode(_ value: UInt128) { element().encode(value) }
}
