public import CoreNetKitEssentials

/// The unchanged bytes of the body.
extension Data: RawMappable, DTOConvertible {
    /// Bytes are their own raw form.
    public typealias Raw = Data

    /// Bytes are their own entry.
    public typealias DTO = Data

    /// Returns the bytes.
    ///
    /// - Returns: The same bytes.
    public func toRaw() -> Data { self }

    /// Returns the bytes.
    ///
    /// - Parameter raw: The body.
    /// - Returns: The same bytes.
    public static func from(raw: Data) -> Data { raw }
}
