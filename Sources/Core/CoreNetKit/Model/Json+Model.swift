/// Untyped JSON: passes a chain unchanged.
extension Json: RawMappable, DTOConvertible {
    /// JSON is its own raw form.
    public typealias Raw = Json

    /// JSON is its own entry.
    public typealias DTO = Json

    /// Returns the value.
    ///
    /// - Returns: The same value.
    public func toRaw() -> Json { self }

    /// Parses the whole value, so that a body that is not JSON fails the call and not the first access.
    ///
    /// The value is `null` if the status says that there is no body.
    ///
    /// - Parameter raw: The body.
    /// - Returns: The value.
    /// - Throws: ``JsonError`` when the bytes are not JSON.
    public static func from(raw: Json) throws -> Json { raw.isNoContent ? nil : try raw.parsed() }
}
