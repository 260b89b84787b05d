/// The members of an object that is being encoded.
struct JsonKeyedEncoder<Key: CodingKey>: JsonDraftContainer {
    let draft: JsonDraft
    let node: UInt32
    /// Whether names are written in another form than the keys'.
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
}

// MARK: - Values

extension JsonKeyedEncoder {
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        let (last, count) = (draft.nodes[Int(node)].last, draft.nodes[Int(node)].count)
        let member = member(key)
        do { try draft.write(value, at: member) } catch {
            draft.remove(after: last, count: count, in: node)
            throw error
        }
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

    func encode(_ value: Double, forKey key: Key) throws {
        let (last, count) = (draft.nodes[Int(node)].last, draft.nodes[Int(node)].count)
        let member = member(key)
        do { try draft.writeFloat(value, at: member) } catch {
            draft.remove(after: last, count: count, in: node)
            throw error
        }
    }

    func encode(_ value: Float, forKey key: Key) throws {
        let (last, count) = (draft.nodes[Int(node)].last, draft.nodes[Int(node)].count)
        let member = member(key)
        do { try draft.writeFloat(value, at: member) } catch {
            draft.remove(after: last, count: count, in: node)
            throw error
        }
    }

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
