import CoreNetKitJson
import CoreNetKitSystem

// The operations of a value that `Model/` needs for arrays and dictionaries.
extension Json {
    /// Reads the elements of an array, each by the `from(raw:)` of its type.
    func elements<Element: RawDecodable>(as type: Element.Type) throws -> [Element] where Element.Raw == Json {
        guard let type = decodableType(type) else {
            guard let elements = try parsed().array else { throw mismatch([Json].self) }
            return try elements.enumerated().map { index, element in
                do { return try Element.from(raw: element) } catch { throw error.under(AnyKey(intValue: index)) }
            }
        }
        let decoder = try decoder(coding: coding)
        try decoder.expectArray()
        var reader = EntryReader<Element>(decoder: decoder, type: type)
        var elements: [Element] = []
        elements.reserveCapacity(Self.capacity(for: decoder))
        try decoder.document.forEachElement(of: decoder.index) { index in
            elements.append(try reader.read(index, at: elements.count, under: AnyKey(intValue: elements.count)))
        }
        return elements
    }

    /// Reads the members of an object, each by the `from(raw:)` of its type; the first of each name.
    func members<Value: RawDecodable>(as type: Value.Type) throws -> [String: Value] where Value.Raw == Json {
        guard let type = decodableType(type) else {
            guard let members = try parsed().object else { throw mismatch([String: Json].self) }
            var values: [String: Value] = [:]
            for (key, member) in members {
                do { values[key] = try Value.from(raw: member) } catch { throw error.under(AnyKey(stringValue: key)) }
            }
            return values
        }
        let decoder = try decoder(coding: coding)
        try decoder.expectObject()
        var reader = EntryReader<Value>(decoder: decoder, type: type)
        var values = [String: Value](minimumCapacity: Self.capacity(for: decoder))
        try decoder.document.forEachName(of: decoder.index) { index in
            let name = decoder.document.string(at: index)
            guard values[name] == nil else { return }
            values[name] = try reader.read(index + 1, at: 0, under: AnyKey(stringValue: name))
        }
        return values
    }

    /// How many elements to reserve memory for: a body must not reserve more than its valid elements.
    private static func capacity(for decoder: JsonDecoder) -> Int {
        min(Int(decoder.document.size(of: decoder.index)), 1024)
    }

    /// The type as a decodable one, unless it is better read from the tree: it is ``Json``, or has its own
    /// `from(raw:)`.
    private func decodableType<Element>(_ type: Element.Type) -> (any Decodable.Type)? {
        type == Json.self ? nil : type as? any Decodable.Type
    }

    private func mismatch(_ type: Any.Type) -> DecodingError {
        .typeMismatch(type, .init(codingPath: [], debugDescription: "found \(kind)"))
    }
}

/// Reads the DTOs of a container, each by the `from(raw:)` of its type.
///
/// Passing a DTO as a part of the document costs a little. If the first one shows that the type has no `from(raw:)`
/// of its own, the rest is decoded directly.
private struct EntryReader<Entry: RawDecodable> where Entry.Raw == Json {
    let decoder: JsonDecoder
    /// The same type as `Entry`.
    let type: any Decodable.Type
    /// Whether the type is read only by `init(from:)`; `nil` until the first one was read.
    var isPlain: Bool? = Entry.self is any JsonScalar.Type ? true : nil

    mutating func read(_ index: UInt32, at ordinal: Int, under key: AnyKey) throws -> Entry {
        if isPlain == true {
            // The compiler opens a constant, not a property.
            let type = type
            return try plain(type, at: index, ordinal)
        }
        let mark = isPlain == nil ? Locked<ObjectIdentifier?>(nil) : nil
        let source = JsonSource(.part(of: decoder.document, at: index, mark: mark))
        do {
            let entry = try Entry.from(raw: Json(.source(source), coding: decoder.coding))
            if let mark { isPlain = mark.withLock { $0 } == ObjectIdentifier(Entry.self) }
            return entry
        } catch {
            throw error.under(key)
        }
    }

    private func plain<Plain: Decodable>(_ type: Plain.Type, at index: UInt32, _ ordinal: Int) throws -> Entry {
        let ordinal = UInt32(truncatingIfNeeded: ordinal)
        let decoder = JsonDecoder(decoder.document, at: index, in: decoder.index, ordinal: ordinal)
        // A cast from a type to itself.
        guard let entry = try decoder.whole(type) as? Entry else { throw decoder.mismatch(Entry.self) }
        return entry
    }
}

// Containers are assembled from the results of their elements.
extension Json {
    /// An array of the results of each element's `toRaw()`.
    init<Element: RawEncodable>(elements: [Element]) throws where Element.Raw == Json {
        guard let first = elements.first else {
            self = []
            return
        }
        let raw = try first.toRaw()
        if case .model(let model) = raw.storage, model.isPlain,
            let whole = Self.plain(elements, of: Element.self, like: model.model)
        {
            self = whole
        } else {
            self.init(try [raw] + elements.dropFirst().map { try $0.toRaw() })
        }
    }

    /// An object of the results of each value's `toRaw()`, with sorted keys.
    init<Value: RawEncodable>(members: [String: Value]) throws where Value.Raw == Json {
        if case .model(let model)? = try members.first?.value.toRaw().storage, model.isPlain,
            let whole = Self.plain(members, of: Value.self, like: model.model)
        {
            self = whole
        } else {
            self.init(try members.mapValues { try $0.toRaw() })
        }
    }

    /// A container as one model, if its elements are DTOs without a `toRaw()` of their own.
    private static func plain<Model: Encodable & Sendable>(
        _ container: Any,
        of type: Any.Type,
        like first: Model
    ) -> Json? {
        guard Model.self == type else { return nil }
        if let elements = container as? [Model] { return Json(plain: elements) }
        return (container as? [String: Model]).map { Json(plain: $0) }
    }

    /// Decodes a plain model, with its own `from(raw:)` if it has one that reads ``Json``.
    package func model<Model: Decodable>(_ type: Model.Type) throws -> Model {
        if let reader = type as? any RawDecodable.Type, let model = try reader.read(self) as? Model { return model }
        return try decode(type)
    }

    /// Encodes a plain model, with its own `toRaw()` if it has one that writes ``Json``.
    package init(model: some Encodable & Sendable) throws {
        if let json = try (model as? any RawEncodable)?.written() {
            self = json
        } else {
            try self.init(encoding: model)
        }
    }
}

extension RawDecodable {
    static func read(_ json: Json) throws -> Self? {
        guard Raw.self == Json.self, let raw = json as? Raw else { return nil }
        return try from(raw: raw)
    }
}

extension RawEncodable {
    fileprivate func written() throws -> Json? {
        guard Raw.self == Json.self else { return nil }
        return try toRaw() as? Json
    }
}

extension Json {
    /// Whether the content is empty although the status implies content.
    var isBlank: Bool {
        guard !isNoContent, case .source(let source) = storage, let bytes = source.bytes else { return false }
        return bytes.isEmpty
    }
}
