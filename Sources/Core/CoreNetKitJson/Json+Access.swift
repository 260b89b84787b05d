public import CoreNetKitEssentials

extension Json {
    /// The member with that name; `nil` if there is none or the value is not an object.
    ///
    /// Of two members with one name the first counts, as in decoding. Setting changes the first one and removes the
    /// others; setting `nil` removes the member, ``null`` is a value like any other. A value that is not an object
    /// becomes one when a member is set.
    public subscript(key: String) -> Json? {
        get { if case .object(let object) = tree { object[key].map { part($0) } } else { nil } }
        set {
            if case .model(let model) = storage { return storage = .model(model.changed(.member(key, newValue))) }
            var object = if case .object(let object) = tree { object } else { JsonObject([]) }
            storage = .null
            object[key] = newValue
            storage = .object(object)
        }
    }

    /// The element at that index; `nil` if there is none or the value is not an array.
    ///
    /// Setting does nothing if there is no such element; setting `nil` removes it.
    public subscript(index: Int) -> Json? {
        get {
            guard case .array(let elements) = tree, elements.indices.contains(index) else { return nil }
            return part(elements[index])
        }
        set {
            if case .model(let model) = storage { return storage = .model(model.changed(.element(index, newValue))) }
            guard case .array(var elements) = tree, elements.indices.contains(index) else { return }
            storage = .null
            if let newValue { elements[index] = newValue } else { elements.remove(at: index) }
            storage = .array(elements)
        }
    }

    /// Whether the value is `null`.
    public var isNull: Bool {
        if case .source(let source) = storage, let isNull = source.isNull { return isNull }
        return if case .null = tree { true } else { false }
    }

    /// The text of a string.
    public var string: String? { if case .string(let text) = tree { text } else { nil } }

    /// A Boolean value.
    public var bool: Bool? { if case .bool(let value) = tree { value } else { nil } }

    /// The elements of an array.
    public var array: [Json]? {
        if case .array(let elements) = tree { parts(elements) } else { nil }
    }

    /// The members of an object by name; the first member with each name.
    public var object: [String: Json]? {
        guard case .object(let object) = tree else { return nil }
        return coding.isDefault ? object.dictionary : object.dictionary.mapValues { part($0) }
    }

    /// The members of an object as written: in order, including duplicate names; empty for any other value.
    public var members: [(key: String, value: Json)] {
        guard case .object(let object) = tree else { return [] }
        return coding.isDefault ? object.members : object.members.map { ($0.key, part($0.value)) }
    }

    /// The text of a number as written.
    public var number: String? {
        switch tree {
        case .integer(let integer): String(integer)
        case .number(let text): text
        default: nil
        }
    }

    /// The object that a string contains as JSON text, as some servers send nested objects; otherwise the value itself.
    package var unwrapped: Json {
        guard let string, string.utf8.count <= 65_536, let object = try? Json(parsing: string), object.object != nil
        else { return self }
        return object
    }

    /// A number that is whole and fits, however it is written (`100`, `1e2`).
    public var int: Int? { int64.flatMap(Int.init(exactly:)) }

    /// A number that is whole and fits, however it is written (`100`, `1e2`).
    public var int64: Int64? { integer() }

    /// A number that is whole and fits, however it is written (`100`, `1e2`).
    public var uint64: UInt64? { integer() }

    private func integer<Integer: FixedWidthInteger>() -> Integer? {
        switch tree {
        case .integer(let integer): Integer(exactly: integer)
        case .number(let text): JsonNumber(text).integer()
        default: nil
        }
    }

    /// The `Double` nearest to a number; `nil` if the number is out of range.
    public var double: Double? { number.flatMap { JsonNumber.nearest(to: $0) } }

    /// A number as a `Decimal`; `nil` if a `Decimal` cannot hold all of its digits.
    public var decimal: Decimal? {
        guard let number, let value = Decimal(string: number), !value.isNaN else { return nil }
        return JsonNumber(value.description) == JsonNumber(number) ? value : nil
    }

    /// What the value is, for messages.
    package var kind: String {
        switch tree {
        case .null: "null"
        case .bool: "bool"
        case .integer, .number: "number"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        case .source, .model, nil: "no JSON"
        }
    }
}

/// The members of a JSON object in the order they were written, including duplicate names.
package struct JsonObject: Sendable {
    typealias Member = (key: String, value: Json)

    /// From this size on a table finds a key faster than a linear search.
    private static let indexedSize = 16

    private(set) var members: [Member]
    /// The first position of each key; `nil` for small objects.
    private var positions: [String: Int]?

    init(_ members: [Member]) {
        self.members = members
        reindex()
    }

    /// The member with that name; the first one if there are two, as in `JSONDecoder`.
    subscript(key: String) -> Json? {
        get { position(of: key).map { members[$0].value } }
        set {
            guard let newValue else {
                members.removeAll { $0.key == key }
                return reindex()
            }
            guard let position = position(of: key) else {
                members.append((key, newValue))
                if positions != nil { positions?[key] = members.count - 1 } else { reindex() }
                return
            }
            members[position].value = newValue
            // No name occurs twice, or one of few members may.
            guard positions?.count != members.count, members[(position + 1)...].contains(where: { $0.key == key })
            else { return }
            members = members.enumerated().filter { $0.offset == position || $0.element.key != key }.map(\.element)
            reindex()
        }
    }

    private func position(of key: String) -> Int? {
        guard let positions else { return members.firstIndex { $0.key == key } }
        return positions[key]
    }

    private mutating func reindex() {
        guard members.count >= Self.indexedSize else { return positions = nil }
        positions = Dictionary(zip(members.lazy.map(\.key), members.indices), uniquingKeysWith: { first, _ in first })
    }

    /// The first member with each name.
    package var dictionary: [String: Json] {
        Dictionary(members.lazy.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// All values of each name, in order.
    fileprivate var groups: [String: [Json]] {
        members.reduce(into: [:]) { $0[$1.key, default: []].append($1.value) }
    }
}

/// Order does not matter, except between members with one name.
extension JsonObject: Hashable {
    package static func == (left: JsonObject, right: JsonObject) -> Bool {
        left.members.count == right.members.count && left.groups == right.groups
    }

    package func hash(into hasher: inout Hasher) { groups.hash(into: &hasher) }
}
