extension Dictionary: DTOEncodable where Key == String, Value: DTOEncodable, Value.DTO.Raw == Json {
    /// The entries of the values.
    public typealias DTO = [String: Value.DTO]

    /// Makes the entries of all values.
    ///
    /// - Returns: One entry per key.
    /// - Throws: The error of a value that fails.
    public func toDTO() throws -> [String: Value.DTO] { try mapValues { try $0.toDTO() } }
}

extension Dictionary: DTODecodable where Key == String, Value: DTODecodable, Value.DTO.Raw == Json {
    /// The entries of the values.
    public typealias DTO = [String: Value.DTO]

    /// Makes all values.
    ///
    /// - Parameter dto: One entry per key.
    /// - Returns: The values.
    /// - Throws: The error of a value that fails.
    public static func from(dto: [String: Value.DTO]) throws -> [String: Value] {
        try dto.mapValues { try Value.from(dto: $0) }
    }
}

extension Dictionary: RawEncodable where Key == String, Value: RawEncodable, Value.Raw == Json {
    /// A JSON object.
    public typealias Raw = Json

    /// Writes a JSON object of the results of each value's `toRaw()`, keys sorted.
    ///
    /// - Returns: The JSON object.
    /// - Throws: The error of a value that fails.
    public func toRaw() throws -> Json {
        try Json(members: self)
    }
}

extension Dictionary: RawDecodable where Key == String, Value: RawDecodable, Value.Raw == Json {
    /// A JSON object.
    public typealias Raw = Json

    /// Reads each value with its own `from(raw:)`, in one pass over the bytes; keys are not converted.
    ///
    /// - Parameter raw: A JSON object.
    /// - Returns: The values by key; of two members with the same name the first is used.
    /// - Throws: ``JsonError``, `DecodingError` or an error of a value's own `from(raw:)`.
    public static func from(raw: Json) throws -> [String: Value] {
        raw.isNoContent ? [:] : try raw.members(as: Value.self)
    }
}
