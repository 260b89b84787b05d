#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What the models in `Model/` need of a value to become arrays, dictionaries and entries.
extension Json {
    /// Decodes under the decoder that stands on this value, else from the bytes.
    func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage,
            let value = try source.withDecoder({ try $0.singleValueContainer().decode(type) })
        {
            return value
        }
        return try fromBytes(type)
    }

    /// Decodes a container whose elements are handed values that know where they come from.
    func decodedElements<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage {
            if let value = try source.withDecoder({ try type.init(from: $0) }) { return value }
            if let bytes = source.bytes { return try Self.decode(type, from: bytes, root: source) }
        }
        let bytes = try data()
        return try Self.decode(type, from: bytes, root: JsonSource(bytes: bytes, tree: try parsed()))
    }

    func fromBytes<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if case .source(let source) = storage, let bytes = source.bytes { return try Self.decode(type, from: bytes) }
        return try Self.decode(type, from: try data())
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type,
        from bytes: Data,
        root: JsonSource? = nil
    ) throws -> Value {
        do {
            return try JsonCoding.current.decode(type, from: bytes, root: root)
        } catch let error as DecodingError {
            // Foundation says "not valid JSON" without a place, and it says so of numbers out of range, too.
            if case .dataCorrupted(let context) = error, context.codingPath.isEmpty { _ = try Json(parsing: bytes) }
            throw error
        }
    }

    /// Whether elements of this type are decoded under the decoder of the container; else the tree is built first, which
    /// is the shorter way for a type that reads ``Json`` by hand.
    func decodesElements<Element>(_ type: Element.Type) -> Bool {
        type is any Decodable.Type && type != Json.self
    }

    /// The elements of an array.
    func elements() throws -> [Json] {
        guard let elements = try parsed().array else { throw mismatch([Json].self) }
        return elements
    }

    /// The members of an object by name.
    func dictionary() throws -> [String: Json] {
        guard let members = try parsed().object else { throw mismatch([String: Json].self) }
        return members
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

/// One element of a container: hands its decoder to the element's own `from(raw:)`.
struct ElementEntry<Element: RawDecodable>: Decodable where Element.Raw == Json {
    let element: Element

    init(from decoder: any Decoder) throws {
        var source = JsonSource(element: decoder)
        defer { if !isKnownUniquelyReferenced(&source) { source.detach() } }
        element = try Element.from(raw: Json(.source(source)))
    }
}

/// An array whose elements read themselves.
struct ElementList<Element: RawDecodable>: Decodable where Element.Raw == Json {
    let elements: [Element]

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var elements: [Element] = []
        elements.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd { elements.append(try container.decode(ElementEntry<Element>.self).element) }
        self.elements = elements
    }
}

/// A dictionary whose values read themselves.
struct ElementTable<Value: RawDecodable>: Decodable where Value.Raw == Json {
    let elements: [String: Value]

    init(from decoder: any Decoder) throws {
        // As a dictionary, not as a keyed container: a key strategy is for properties and leaves these keys alone.
        elements = try decoder.singleValueContainer().decode([String: ElementEntry<Value>].self).mapValues(\.element)
    }
}
