extension Optional: DTOEncodable where Wrapped: DTOEncodable, Wrapped.DTO.Raw == Json {
    /// The entry of the value, if there is one.
    public typealias DTO = Wrapped.DTO?

    /// Makes the entry of the value, if there is one.
    ///
    /// - Returns: The entry or `nil`.
    /// - Throws: The error of the value.
    public func toDTO() throws -> Wrapped.DTO? { try map { try $0.toDTO() } }
}

extension Optional: DTODecodable where Wrapped: DTODecodable, Wrapped.DTO.Raw == Json {
    /// The entry of the value, if there is one.
    public typealias DTO = Wrapped.DTO?

    /// Makes the value, if there is one.
    ///
    /// - Parameter dto: The entry or `nil`.
    /// - Returns: The value or `nil`.
    /// - Throws: The error of the value.
    public static func from(dto: Wrapped.DTO?) throws -> Wrapped? { try dto.map { try Wrapped.from(dto: $0) } }
}

extension Optional: RawEncodable where Wrapped: RawEncodable, Wrapped.Raw == Json {
    /// The JSON of the value, or `null`.
    public typealias Raw = Json

    /// Writes the value, or `null`.
    ///
    /// - Returns: The JSON of the value.
    /// - Throws: The error of the value.
    public func toRaw() throws -> Json { try map { try $0.toRaw() } ?? .null }
}

extension Optional: RawDecodable where Wrapped: RawDecodable, Wrapped.Raw == Json {
    /// The JSON of the value, or `null`.
    public typealias Raw = Json

    /// Reads the value with its own `from(raw:)`, unless it is `null`.
    ///
    /// - Parameter raw: The JSON of the value.
    /// - Returns: The value or `nil`.
    /// - Throws: The error of the value.
    public static func from(raw: Json) throws -> Wrapped? {
        raw.isNoContent || raw.isBlank || raw.isNull ? nil : try Wrapped.from(raw: raw)
    }
}
