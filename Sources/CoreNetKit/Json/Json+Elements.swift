#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What the models in `Model/` need of a value to become arrays, dictionaries and entries.
extension Json {
    /// Decodes under the decoder that stands on this value, else from the bytes.
    func decoded<Value: Decodable>(_ type: Value.Type, asEntry: Bool = false) throws -> Value {
        guard case .source(let source) = storage, var handle = source.takeDecoder() else { return try fromBytes(type) }
        defer { source.giveBack(handle) }
        // A container knows about dates and keys of dictionaries, `init(from:)` is the shorter way to all other types.
        guard asEntry || !Self.hasOwnForm(type) else { return try handle.decoder.singleValueContainer().decode(type) }
        let value = try type.init(from: handle.decoder)
        if asEntry { handle.entry = ObjectIdentifier(type) }
        return value
    }

    /// Whether Foundation's decoder reads the type in another way than the type itself does.
    static func hasOwnForm(_ type: Any.Type) -> Bool {
        type == Date.self || type == URL.self || type == Data.self || type == Decimal.self
            || type is any StringKeyed.Type
    }

    /// Decodes a container whose elements are handed values that know where they come from.
    func decodedElements<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage {
            if let handle = source.takeDecoder() {
                defer { source.giveBack(handle) }
                return try type.init(from: handle.decoder)
            }
        }
        return try fromBytes(type)
    }

    func fromBytes<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage, let bytes = source.bytes {
            return try Self.decode(type, from: bytes, of: source)
        }
        let bytes = try data()
        return try Self.decode(type, from: bytes, of: JsonSource(bytes: bytes, tree: try parsed()))
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: Data,
        of body: JsonSource
    ) throws -> Value {
        do {
            return try JsonCoding.current.decode(type, from: bytes, of: body)
        } catch DecodingError.dataCorrupted(let context) where context.saysNothing {
            throw explained(DecodingError.dataCorrupted(context), type, from: bytes, of: body)
        }
    }

    /// Foundation says "not valid JSON" without a place, and it says so of numbers that do not fit, too.
    private static func explained<Value: Decodable>(
        _ error: any Error,
        _ type: Value.Type,
        from bytes: Data,
        of body: JsonSource
    ) -> any Error {
        let tree: Json
        do throws(JsonError) { tree = try body.tree() } catch { return error }
        do {
            _ = try JsonCoding.current.decode(Traced<Value>.self, from: bytes, of: body)
        } catch DecodingError.dataCorrupted(var context) where context.underlyingError is NumberOutOfRange {
            let number = (try? tree.part(at: context.codingPath))?.number
            context = .init(
                codingPath: context.codingPath,
                debugDescription: "\(context.debugDescription), found number \(number ?? "") that does not fit"
            )
            return DecodingError.dataCorrupted(context)
        } catch {}
        return error
    }

    /// Whether elements of this type are decoded under the decoder of the container; else the tree is built first, which
    /// is the shorter way for a type that reads ``Json`` by hand.
    func decodesElements<Element>(_ type: Element.Type) -> Bool {
        type is any Decodable.Type && type != Json.self
    }

    /// Reads the elements of an array one by one.
    func elements<Element>(_ read: (Json) throws -> Element) throws -> [Element] {
        guard let elements = try parsed().array else { throw mismatch([Json].self) }
        return try elements.enumerated().map { index, element in
            do { return try read(element) } catch { throw error.under([AnyKey(intValue: index)]) }
        }
    }

    /// Reads the members of an object one by one; the first of each name.
    func members<Value>(_ read: (Json) throws -> Value) throws -> [String: Value] {
        guard let members = try parsed().object else { throw mismatch([String: Json].self) }
        var values: [String: Value] = [:]
        for (key, member) in members {
            do { values[key] = try read(member) } catch { throw error.under([AnyKey(stringValue: key)]) }
        }
        return values
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "found \(kind)"))
    }

    /// Puts written values side by side.
    init(joining elements: [Json]) throws(JsonError) {
        var bytes = Data("[".utf8)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(try element.data())
        }
        bytes.append(UInt8(ascii: "]"))
        self.init(undecoded: bytes)
    }

    /// Puts written values under their names.
    init(joining members: [(key: String, value: Json)]) throws(JsonError) {
        var bytes = Data("{".utf8)
        for (index, member) in members.enumerated() {
            var writer = JsonWriter()
            writer.writeString(member.key)
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: writer.bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(try member.value.data())
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(undecoded: bytes)
    }
}

private protocol StringKeyed {}
extension Dictionary: StringKeyed where Key == String {}
