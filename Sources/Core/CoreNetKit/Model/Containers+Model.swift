extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == Json {
    /// The DTOs of the elements.
    public typealias DTO = [Element.DTO]

    /// Makes the DTOs of all elements.
    public func toDTO() throws -> [Element.DTO] { try map { try $0.toDTO() } }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == Json {
    /// The DTOs of the elements.
    public typealias DTO = [Element.DTO]

    /// Makes all elements.
    public static func from(dto: [Element.DTO]) throws -> [Element] { try dto.map { try Element.from(dto: $0) } }
}

extension Array: RawEncodable where Element: RawEncodable, Element.Raw == Json {
    /// A JSON array.
    public typealias Raw = Json

    /// Writes a JSON array of the results of each element's `toRaw()`.
    public func toRaw() throws -> Json { try Json(elements: self) }
}

extension Array: RawDecodable where Element: RawDecodable, Element.Raw == Json {
    /// A JSON array.
    public typealias Raw = Json

    /// Reads each element with its own `from(raw:)`, in one pass over the bytes.
    ///
    /// - Throws: ``JsonError``, `DecodingError` or an error of an element's own `from(raw:)`.
    public static func from(raw: Json) throws -> [Element] {
        raw.isNoContent ? [] : try raw.elements(as: Element.self)
    }
}

extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == Json {
    /// The DTOs of the values.
    public typealias DTO = [String: Value.DTO]

    /// Makes the DTOs of all values.
    public func toDTO() throws -> [String: Value.DTO] { try mapValues { try $0.toDTO() } }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == Json {
    /// The DTOs of the values.
    public typealias DTO = [String: Value.DTO]

    /// Makes all values.
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        try dto.mapValues { try Value.from(dto: $0) }
    }
}

extension Dictionary: RawEncodable where Key == String, Value: RawEncodable, Value.Raw == Json {
    /// A JSON object.
    public typealias Raw = Json

    /// Writes a JSON object of the results of each value's `toRaw()`, keys sorted.
    public func toRaw() throws -> Json { try Json(members: self) }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable, Value.Raw == Json {
    /// A JSON object.
    public typealias Raw = Json

    /// Reads each value with its own `from(raw:)`, in one pass over the bytes; keys are not converted.
    ///
    /// Of two members with the same name the first is used.
    /// - Throws: ``JsonError``, `DecodingError` or an error of a value's own `from(raw:)`.
    public static func from(raw: Json) throws -> [String: Value] {
        raw.isNoContent ? [:] : try raw.members(as: Value.self)
    }
}

extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == Json {
    /// The DTO of the value, if there is one.
    public typealias DTO = Wrapped.DTO?

    /// Makes the DTO of the value, if there is one.
    public func toDTO() throws -> Wrapped.DTO? { try map { try $0.toDTO() } }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == Json {
    /// The DTO of the value, if there is one.
    public typealias DTO = Wrapped.DTO?

    /// Makes the value, if there is one.
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}

extension Optional: RawEncodable where Wrapped: RawEncodable, Wrapped.Raw == Json {
    /// The JSON of the value, or `null`.
    public typealias Raw = Json

    /// Writes the value, or `null`.
    public func toRaw() throws -> Json { try map { try $0.toRaw() } ?? .null }
}

extension Optional: RawDecodable where Wrapped: RawDecodable, Wrapped.Raw == Json {
    /// The JSON of the value, or `null`.
    public typealias Raw = Json

    /// Reads the value with its own `from(raw:)`, unless it is `null`.
    public static func from(raw: Json) throws -> Wrapped? {
        raw.isNoContent || raw.isBlank || raw.isNull ? nil : try Wrapped.from(raw: raw)
    }
}

/// A model with a value for "no content", used if the status says that there is none (204, 205).
protocol EmptyRepresentable {
    static var noContentValue: Self { get }
}

extension Array: EmptyRepresentable {
    static var noContentValue: [Element] { [] }
}

extension Set: EmptyRepresentable {
    static var noContentValue: Set<Element> { [] }
}

extension Dictionary: EmptyRepresentable {
    static var noContentValue: [Key: Value] { [:] }
}

extension Optional: EmptyRepresentable {
    static var noContentValue: Wrapped? { nil }
}
