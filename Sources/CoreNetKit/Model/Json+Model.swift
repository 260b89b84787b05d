/// JSON without a type: goes in and out of a chain as it is.
extension Json: RawMappable, DTOConvertible {
    /// JSON is its own raw form.
    public typealias Raw = Json

    /// JSON is its own entry.
    public typealias DTO = Json

    /// Hands the value on.
    ///
    /// - Returns: The same value.
    public func toRaw() -> Json { self }

    /// Reads the whole value, so that a body that is not JSON is an error of the call and not of the first look.
    ///
    /// The value is `null` where the status says that there is no body.
    ///
    /// - Parameter raw: The body.
    /// - Returns: The value.
    /// - Throws: ``JsonError`` when the bytes are not JSON.
    public static func from(raw: Json) throws -> Json { raw.isNoContent ? nil : try raw.parsed() }
}
