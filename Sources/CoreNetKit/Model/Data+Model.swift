public import CoreNetKitEssentials

/// The bytes of the body, as they are.
extension Data: RawMappable, DTOConvertible {
    /// Bytes are their own raw form.
    public typealias Raw = Data

    /// Bytes are their own entry.
    public typealias DTO = Data

    /// Hands the bytes on.
    ///
    /// - Returns: The same bytes.
    public func toRaw() -> Data { self }

    /// Hands the bytes on.
    ///
    /// - Parameter raw: The body.
    /// - Returns: The same bytes.
    public static func from(raw: Data) -> Data { raw }
}
