#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What the models in `Model/` need of a value to become arrays and dictionaries.
extension Json {
    /// Reads the elements of an array, each by the `from(raw:)` of its type.
    ///
    /// An element is handed out as a part of the document, which costs a little. After the first that turned out to have no
    /// `from(raw:)` of its own, the rest decodes without.
    func elements<Element: RawDecodable>(as type: Element.Type) throws -> [Element] where Element.Raw == Json {
        guard let type = decodableType(type) else { return try elements { try Element.from(raw: $0) } }
        let decoder = try decoder(coding: .current)
        try decoder.expectArray()
        let document = decoder.document
        var elements: [Element] = []
        elements.reserveCapacity(Self.room(for: document[decoder.index].size))
        var next = decoder.index + 1
        let end = document.end(of: decoder.index)
        var isPlain = Element.self is any JsonScalar.Type
        while !isPlain, next < end {
            let source = JsonSource(.part(of: document, at: next))
            do { elements.append(try Element.from(raw: Json(.source(source)))) } catch {
                throw error.under(AnyKey(intValue: elements.count))
            }
            isPlain = source.wasPlain(Element.self)
            next = document.end(of: next)
        }
        return next < end ? try Self.rest(type, after: elements, from: next, of: decoder) : elements
    }

    /// What `[Element]` does by itself when it is `Decodable`.
    private static func rest<Plain: Decodable, Element>(
        _ type: Plain.Type,
        after first: [Element],
        from next: UInt32,
        of decoder: JsonDecoder
    ) throws -> [Element] {
        var elements = first as? [Plain] ?? []
        elements.reserveCapacity(room(for: decoder.document[decoder.index].size))
        var next = next
        let end = decoder.document.end(of: decoder.index)
        while next < end {
            elements.append(try decoder.at(next).value(type))
            next = decoder.document.end(of: next)
        }
        return elements as? [Element] ?? []
    }

    /// How much to make room for at once: a body must not get memory for more elements than it has good ones.
    private static func room(for size: UInt32) -> Int { min(Int(size), 1024) }

    /// Reads the members of an object, each by the `from(raw:)` of its type; the first of each name.
    func members<Value: RawDecodable>(as type: Value.Type) throws -> [String: Value] where Value.Raw == Json {
        guard decodableType(type) != nil else { return try members { try Value.from(raw: $0) } }
        let decoder = try decoder(coding: .current)
        try decoder.expectObject()
        let document = decoder.document
        var values = [String: Value](minimumCapacity: Self.room(for: document[decoder.index].size))
        try document.forEachName(of: decoder.index) { index in
            let name = document.string(at: index)
            guard values[name] == nil else { return }
            do {
                values[name] = try Value.from(raw: Json(.source(JsonSource(.part(of: document, at: index + 1)))))
            } catch {
                throw error.under(AnyKey(stringValue: name))
            }
        }
        return values
    }

    /// The type as one that can be decoded, unless the tree is the shorter way to it: it is ``Json``, or is read by hand.
    private func decodableType<Element>(_ type: Element.Type) -> (any Decodable.Type)? {
        type == Json.self ? nil : type as? any Decodable.Type
    }

    /// Reads the elements of an array one by one.
    private func elements<Element>(_ read: (Json) throws -> Element) throws -> [Element] {
        guard let elements = try parsed().array else { throw mismatch([Json].self) }
        return try elements.enumerated().map { index, element in
            do { return try read(element) } catch { throw error.under(AnyKey(intValue: index)) }
        }
    }

    /// Reads the members of an object one by one; the first of each name.
    private func members<Value>(_ read: (Json) throws -> Value) throws -> [String: Value] {
        guard let members = try parsed().object else { throw mismatch([String: Json].self) }
        var values: [String: Value] = [:]
        for (key, member) in members {
            do { values[key] = try read(member) } catch { throw error.under(AnyKey(stringValue: key)) }
        }
        return values
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "found \(kind)"))
    }
}

// Containers are put together from what their elements have written.
extension Json {
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
