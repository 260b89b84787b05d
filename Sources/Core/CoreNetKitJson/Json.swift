package import CoreNetKitEssentials

/// A JSON value: keeps numbers exact and members in order, is comparable and hashable.
///
/// - Numbers: integers from `Int64.min` to `UInt64.max` and the text of every other number (`1e400`, `0.10`, fifty digits)
///   survive reading and writing. They are equal by numeric value: `1`, `1.0` and `10e-1` are one value.
/// - Objects: equal in any order. Two members with one name are both kept and written; the subscript and decoding take
///   the first.
/// - Reading follows RFC 8259. What it leaves open: a byte order mark is skipped; lone surrogates, bytes that are not
///   UTF-8 and more than ``depthLimit`` levels are errors; numbers may have any size.
///
/// A body that has just been received is held as bytes; the tree is built on first access. The `nil` literal is `null`:
/// write `Json?.none` where Swift cannot see that no value is meant.
///
/// ```swift
/// let filter: Json = ["owner": "me", "limit": 20, "tags": ["a", nil]]
/// let reply = try Json(parsing: data)
/// let name = reply["users"]?[0]?["name"]?.string
/// ```
public struct Json: Sendable {
    package enum Storage: Sendable {
        case null
        case bool(Bool)
        case integer(Int64)
        /// Any other number, as its original text.
        case number(String)
        case string(String)
        case array([Json])
        case object(JsonObject)
        case source(JsonSource)
        /// A model that becomes JSON when the options are known.
        case model(JsonModel)
    }

    /// How deeply arrays and objects may be nested, for reading and for writing.
    public static let depthLimit = 512

    /// Refuses to write deeper than ``depthLimit``.
    static func check(depth: Int) throws(JsonError) {
        guard depth < depthLimit else { throw JsonError(.tooDeep, "nested deeper than \(depthLimit) levels") }
    }

    package var storage: Storage

    /// How models are decoded from the value and its parts, and how a model in it is encoded.
    ///
    /// A chain passes its own options on with the values that it gives to `from(raw:)`; comparisons ignore them.
    public var coding: JsonCoding

    package init(_ storage: Storage, coding: JsonCoding = JsonCoding()) {
        (self.storage, self.coding) = (storage, coding)
    }

    /// The same value with other options, which it passes on to its parts.
    public func with(_ coding: JsonCoding) -> Json { Json(storage, coding: coding) }

    /// A part of this value, with the options of the whole unless it has its own.
    @inline(__always)
    func part(_ json: Json) -> Json {
        coding.isDefault || !json.coding.isDefault ? json : json.with(coding)
    }

    func parts(_ elements: [Json]) -> [Json] { coding.isDefault ? elements : elements.map { part($0) } }

    /// `null`.
    public static let null = Json(.null)

    /// Holds bytes that are parsed later, or never if a `Decodable` entry is decoded from them.
    package init(undecoded: Data) { self.init(.source(JsonSource(.body(undecoded)))) }

    /// Stands for the missing body of a response whose status allows none (204, 205, 304): optionals read it as `nil`,
    /// collections as empty, every other type refuses it.
    package static let noContent = Json(.source(JsonSource(.noContent)))

    package var isNoContent: Bool {
        if case .source(let source) = storage { source.isNoContent } else { false }
    }

    /// The same value, completely parsed; throws ``JsonError`` if the underlying bytes are not JSON.
    public func parsed() throws(JsonError) -> Json {
        switch storage {
        case .source(let source): part(try source.tree())
        case .model(let model): part(try JsonError.wrapping { try model.tree(coding) })
        default: self
        }
    }

    /// The parsed content; `nil` for bytes that are not JSON, and for models that cannot be encoded.
    var tree: Storage? {
        switch storage {
        case .source(let source): try? source.tree().storage
        case .model(let model): try? model.tree(coding).storage
        default: storage
        }
    }
}

/// Equality by value: numbers by their numeric value, objects regardless of order. Strings are equal as Swift's are.
extension Json: Hashable {
    /// Compares two values; both are parsed if they were not yet.
    public static func == (left: Json, right: Json) -> Bool {
        switch (left.tree, right.tree) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.integer(let left), .number(let right)): JsonNumber(right).integer() == left
        case (.number(let left), .integer(let right)): JsonNumber(left).integer() == right
        case (.number(let left), .number(let right)): left == right || JsonNumber(left) == JsonNumber(right)
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (nil, nil): left.unread == right.unread
        default: false
        }
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
        switch tree {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let integer): hasher.combine(integer)
        case .number(let text):
            let number = JsonNumber(text)
            if let integer: Int64 = number.integer() { hasher.combine(integer) } else { hasher.combine(number) }
        case .string(let text): hasher.combine(text)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        case .source, .model, nil: hasher.combine(unread)
        }
    }

    /// Bytes that are not JSON, which can still be compared.
    private var unread: Data? {
        switch storage {
        case .source(let source): source.bytes
        case .model(let model): Data("\(model.model)".utf8)
        default: nil
        }
    }
}
