/// The elements of an array that is being encoded.
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

    /// An encoder for the next element.
    private var element: JsonEncoder { JsonEncoder(draft: draft, node: draft.addElement(to: node)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        let (last, count) = (draft.nodes[Int(node)].last, draft.nodes[Int(node)].count)
        let element = draft.addElement(to: node)
        do { try draft.write(value, at: element) } catch {
            draft.remove(after: last, count: count, in: node)
            throw error
        }
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
        let (last, count) = (draft.nodes[Int(node)].last, draft.nodes[Int(node)].count)
        let element = draft.addElement(to: node)
        do { try draft.writeFloat(value, at: element) } catch {
            draft.remove(after: last, count: count, in: node)
            throw error
        }
    }
}
