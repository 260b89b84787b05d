/// One element of a container: hands its decoder to the element's own `from(raw:)`.
struct ElementEntry<Element: RawDecodable>: Decodable where Element.Raw == Json {
    let element: Element
    /// Whether the element has no `from(raw:)` of its own, so that others of its type can be decoded as they are.
    let isPlain: Bool

    init(from decoder: any Decoder) throws {
        var source = JsonSource(element: decoder)
        do {
            element = try Element.from(raw: Json(.source(source)))
        } catch {
            _ = source.leave(as: Element.self, isKept: true)
            throw error.under(decoder.codingPath)
        }
        let isKept = !isKnownUniquelyReferenced(&source)
        isPlain = source.leave(as: Element.self, isKept: isKept)
    }
}

/// An array whose elements read themselves.
struct ElementList<Element: RawDecodable>: Decodable where Element.Raw == Json {
    let elements: [Element]

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var elements: [Element] = []
        elements.reserveCapacity(container.count ?? 0)
        var isPlain = Element.self is any JsonScalar.Type
        while !isPlain, !container.isAtEnd {
            let entry = try container.decode(ElementEntry<Element>.self)
            elements.append(entry.element)
            isPlain = entry.isPlain
        }
        if isPlain, let type = Element.self as? any Decodable.Type {
            elements = try Self.rest(type, after: elements, in: &container)
        }
        self.elements = elements
    }

    /// What `[Element]` does by itself when it is `Decodable`: the way without a value in between.
    private static func rest<Plain: Decodable>(
        _ type: Plain.Type,
        after first: [Element],
        in container: inout any UnkeyedDecodingContainer
    ) throws -> [Element] {
        var elements = first as? [Plain] ?? []
        elements.reserveCapacity(container.count ?? 0)
        while !container.isAtEnd { elements.append(try container.decode(type)) }
        return elements as? [Element] ?? []
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
