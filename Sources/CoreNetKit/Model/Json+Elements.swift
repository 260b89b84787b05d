#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitSystem

// What the models in `Model/` need of a value to become arrays and dictionaries.
extension Json {
    /// Reads the elements of an array, each by the `from(raw:)` of its type.
    func elements<Element: RawDecodable>(as type: Element.Type) throws -> [Element] where Element.Raw == Json {
        guard let type = decodableType(type) else { return try elements { try Element.from(raw: $0) } }
        let decoder = try decoder(coding: .current)
        try decoder.expectArray()
        var reader = EntryReader<Element>(decoder: decoder, type: type)
        var elements: [Element] = []
        elements.reserveCapacity(Self.room(for: decoder))
        try decoder.document.forEachElement(of: decoder.index) { index in
            elements.append(try reader.read(index, under: AnyKey(intValue: elements.count)))
        }
        return elements
    }

    /// Reads the members of an object, each by the `from(raw:)` of its type; the first of each name.
    func members<Value: RawDecodable>(as type: Value.Type) throws -> [String: Value] where Value.Raw == Json {
        guard let type = decodableType(type) else { return try members { try Value.from(raw: $0) } }
        let decoder = try decoder(coding: .current)
        try decoder.expectObject()
        var reader = EntryReader<Value>(decoder: decoder, type: type)
        var values = [String: Value](minimumCapacity: Self.room(for: decoder))
        try decoder.document.forEachName(of: decoder.index) { index in
            let name = decoder.document.string(at: index)
            guard values[name] == nil else { return }
            values[name] = try reader.read(index + 1, under: AnyKey(stringValue: name))
        }
        return values
    }

    /// How much to make room for at once: a body must not get memory for more elements than it has good ones.
    private static func room(for decoder: JsonDecoder) -> Int { min(Int(decoder.document[decoder.index].size), 1024) }

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

/// Reads the entries of a container, each by the `from(raw:)` of its type.
///
/// An entry is handed out as a part of the document, which costs a little. After the first that turned out to have no
/// `from(raw:)` of its own, the rest decodes without.
private struct EntryReader<Entry: RawDecodable> where Entry.Raw == Json {
    let decoder: JsonDecoder
    /// The same type as `Entry`.
    let type: any Decodable.Type
    var isPlain = Entry.self is any JsonScalar.Type

    mutating func read(_ index: UInt32, under key: AnyKey) throws -> Entry {
        if isPlain {
            // The compiler opens a constant, not a property.
            let type = type
            return try plain(type, at: index)
        }
        let source = JsonSource(.part(of: decoder.document, at: index))
        do {
            let entry = try Entry.from(raw: Json(.source(source)))
            isPlain = source.wasPlain(Entry.self)
            return entry
        } catch {
            throw error.under(key)
        }
    }

    private func plain<Plain: Decodable>(_ type: Plain.Type, at index: UInt32) throws -> Entry {
        try unsafeBitCast(decoder.at(index).value(type), to: Entry.self)
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
