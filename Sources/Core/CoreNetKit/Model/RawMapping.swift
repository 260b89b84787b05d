/// Turns an entry of the data layer into raw data.
///
/// An `Encodable` type with `typealias Raw = Json` needs no method of its own. `Raw` may also be a custom payload that
/// conforms to ``RequestPayload``.
public protocol RawEncodable: SendableMetatype {
    /// The raw form, for most services ``Json``.
    associatedtype Raw: Sendable

    /// Writes the entry as raw data.
    ///
    /// - Returns: The raw form of the entry.
    /// - Throws: An error if the entry cannot be written.
    func toRaw() throws -> Raw
}

/// Makes an entry of the data layer from raw data.
///
/// A `Decodable` type with `typealias Raw = Json` needs no method of its own: it is decoded directly from the bytes of the
/// response. A type's own `from(raw:)` is also used inside arrays, optionals and dictionaries.
public protocol RawDecodable: SendableMetatype {
    /// The raw form, for most services ``Json``.
    associatedtype Raw: Sendable

    /// Reads the entry from raw data.
    ///
    /// - Parameter raw: The raw form of the entry.
    /// - Returns: The entry.
    /// - Throws: An error if the entry cannot be read.
    static func from(raw: Raw) throws -> Self
}

/// An entry that can be sent and received.
public typealias RawMappable = RawEncodable & RawDecodable

extension RawDecodable where Self: Decodable, Raw == Json {
    /// Decodes the entry in one pass over the bytes, with the options of the chain.
    ///
    /// - Parameter raw: The body of a response, or any part of it.
    /// - Returns: The entry.
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public static func from(raw: Json) throws -> Self {
        try raw.decodePlain(Self.self)
    }
}

extension RawEncodable where Self: Encodable & Sendable, Raw == Json {
    /// Wraps the entry; it is encoded when the chain sends it, with the options of the chain and sorted keys.
    ///
    /// - Returns: The JSON of the entry.
    /// - Throws: Nothing; an entry that cannot be encoded fails the call when it is sent.
    public func toRaw() throws -> Json {
        Json(plain: self)
    }
}
