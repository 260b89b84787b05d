package import CoreNetKitEssentials

/// A JSON value: exact in its numbers, true to the order of its members, comparable and hashable.
///
/// - Numbers: integers from `Int64.min` to `UInt64.max` and the text of every other number (`1e400`, `0.10`, fifty digits)
///   survive reading and writing. They are equal by what they are worth: `1`, `1.0` and `10e-1` are one value.
/// - Objects: equal whatever their order. Two members of one name are both kept and written; the subscript and
///   decoding take the first.
/// - Reading follows RFC 8259. What it leaves open: a byte order mark is skipped; halves of surrogate pairs, bytes that are
///   not UTF-8 and more than ``depthLimit`` levels are errors; numbers may be of any size.
///
/// A body that has just been received is held as bytes; the tree is built when somebody looks. The `nil` literal is `null`:
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
        /// Any other number, as the text it was written with.
        case number(String)
        case string(String)
        case array([Json])
        case object(JsonObject)
        case source(JsonSource)
        /// A model whose JSON is written when it is known how.
        case model(JsonModel)
    }

    /// How deep arrays and objects may stand in one another, for reading and for writing.
    public static let depthLimit = 512

    package var storage: Storage

    /// How models are decoded from the value and from its parts, and how a model within it is encoded.
    ///
    /// A chain hands its own options on with the values that it gives to `from(raw:)`; they take no part in comparing.
    public var coding: JsonCoding

    package init(_ storage: Storage, coding: JsonCoding = JsonCoding()) {
        self.storage = storage
        self.coding = coding
    }

    /// The same value with other options.
    ///
    /// - Parameter coding: How models are decoded from it and encoded into it.
    /// - Returns: The value, which hands the options on to its parts.
    public func with(_ coding: JsonCoding) -> Json { Json(storage, coding: coding) }

    /// A part of this value: it has the options of the whole unless it brought its own.
    @inline(__always)
    func part(_ json: Json) -> Json {
        coding.isUsual || !json.coding.isUsual ? json : json.with(coding)
    }

    /// The parts of this value, see ``part(_:)``.
    func parts(_ elements: [Json]) -> [Json] { coding.isUsual ? elements : elements.map { part($0) } }

    /// `null`.
    public static let null = Json(.null)

    /// Holds bytes that are looked at later, or never when a `Decodable` entry is made of them.
    ///
    /// - Parameter undecoded: A body that should be JSON.
    package init(undecoded: Data) {
        self.init(.source(JsonSource(.body(undecoded))))
    }

    /// Stands for the body of a response that has none by its status (204, 205, 304): optionals read it as `nil`,
    /// collections as empty, every other type refuses it.
    package static let noContent = Json(.source(JsonSource(.noContent)))

    package var isNoContent: Bool {
        if case .source(let source) = storage { source.isNoContent } else { false }
    }

    /// The value with nothing left undecoded.
    ///
    /// - Returns: The same value, its whole tree built.
    /// - Throws: ``JsonError`` when the bytes behind the value are not JSON.
    public func parsed() throws(JsonError) -> Json {
        switch storage {
        case .source(let source): part(try source.tree())
        case .model(let model): part(try JsonError.wrapping { try model.tree(coding) })
        default: self
        }
    }

    /// What to look into; bytes that are not JSON, and models that cannot be encoded, look like nothing at all.
    var tree: Storage? {
        switch storage {
        case .source(let source): try? source.tree().storage
        case .model(let model): try? model.tree(coding).storage
        default: storage
        }
    }
}
