/// Turns a model of the app into a DTO of the data layer.
public protocol DTOEncodable: SendableMetatype {
    /// The DTO that represents the model on the wire; a model may be its own DTO.
    associatedtype DTO: RawEncodable & Sendable

    /// Makes the DTO.
    func toDTO() throws -> DTO
}

/// Makes a model of the app from a DTO of the data layer.
public protocol DTODecodable: SendableMetatype {
    /// The DTO that represents the model on the wire; a model may be its own DTO.
    associatedtype DTO: RawDecodable & Sendable

    /// Makes the model.
    static func from(dto: DTO) throws -> Self
}

/// A model that can be sent and received.
public typealias DTOConvertible = DTOEncodable & DTODecodable

extension DTOEncodable where DTO == Self {
    /// Returns the model itself: it is its own DTO.
    public func toDTO() -> Self { self }
}

extension DTODecodable where DTO == Self {
    /// Returns the DTO itself: it is its own model.
    public static func from(dto: Self) -> Self { dto }
}

/// Turns a DTO of the data layer into raw data.
///
/// An `Encodable` type with `typealias Raw = Json` needs no method of its own. `Raw` may also be a custom payload that
/// conforms to ``RequestPayload``.
public protocol RawEncodable: SendableMetatype {
    /// The raw form, for most services ``Json``.
    associatedtype Raw: Sendable

    /// Writes the DTO as raw data.
    func toRaw() throws -> Raw
}

/// Makes a DTO of the data layer from raw data.
///
/// A `Decodable` type with `typealias Raw = Json` needs no method of its own: it is decoded directly from the bytes of the
/// response. A type's own `from(raw:)` is also used inside arrays, optionals and dictionaries.
public protocol RawDecodable: SendableMetatype {
    /// The raw form, for most services ``Json``.
    associatedtype Raw: Sendable

    /// Reads the DTO from raw data.
    static func from(raw: Raw) throws -> Self
}

/// A DTO that can be sent and received.
public typealias RawMappable = RawEncodable & RawDecodable

extension RawDecodable where Self: Decodable, Raw == Json {
    /// Decodes the DTO in one pass over the bytes, with the options of the chain.
    ///
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public static func from(raw: Json) throws -> Self { try raw.decodePlain(Self.self) }
}

extension RawEncodable where Self: Encodable & Sendable, Raw == Json {
    /// Wraps the DTO; it is encoded when the chain sends it, with the options of the chain and sorted keys.
    ///
    /// A DTO that cannot be encoded fails the call when it is sent.
    public func toRaw() throws -> Json { Json(plain: self) }
}
