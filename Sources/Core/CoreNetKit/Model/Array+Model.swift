extension Array: DTOEncodable where Element: DTOEncodable, Element.DTO.Raw == Json {
    /// The entries of the elements.
    public typealias DTO = [Element.DTO]

    /// Makes the entries of all elements.
    ///
    /// - Returns: One entry per element.
    /// - Throws: The error of the first element that fails.
    public func toDTO() throws -> [Element.DTO] { try map { try $0.toDTO() } }
}

extension Array: DTODecodable where Element: DTODecodable, Element.DTO.Raw == Json {
    /// The entries of the elements.
    public typealias DTO = [Element.DTO]

    /// Makes all elements.
    ///
    /// - Parameter dto: One entry per element.
    /// - Returns: The elements.
    /// - Throws: The error of the first element that fails.
    public static func from(dto: [Element.DTO]) throws -> [Element] { try dto.map { try Element.from(dto: $0) } }
}

extension Array: RawEncodable where Element: RawEncodable, Element.Raw == Json {
    /// A JSON array.
    public typealias Raw = Json

    /// Writes a JSON array of the results of each element's `toRaw()`.
    ///
    /// - Returns: The JSON array.
    /// - Throws: The error of the first element that fails.
    public func toRaw() throws -> Json {
        try Json(elements: self)
    }
}

extension Array: RawDecodable where Element: RawDecodable, Element.Raw == Json {
    /// A JSON array.
    public typealias Raw = Json

    /// Reads each element with its own `from(raw:)`, in one pass over the bytes.
    ///
    /// - Parameter raw: A JSON array.
    /// - Returns: The elements.
    /// - Throws: ``JsonError``, `DecodingError` or an error of an element's own `from(raw:)`.
    public static func from(raw: Json) throws -> [Element] {
        raw.isNoContent ? [] : try raw.elements(as: Element.self)
    }
}
