public import CoreNetKitEssentials

/// A scalar that is its own DTO: `[Int]`, `[String: Date]` and similar can be sent and received.
public protocol JsonScalar: RawMappable, DTOConvertible, Codable, Sendable where Raw == Json, DTO == Self {}

extension JsonScalar {
    /// Decodes the scalar with the options of the chain.
    ///
    /// - Throws: ``JsonError`` when the bytes are not JSON, `DecodingError` when they are JSON of another shape.
    public static func from(raw: Json) throws -> Self { try raw.decode() }
}

extension Bool: JsonScalar {}
extension Int: JsonScalar {}
extension Int8: JsonScalar {}
extension Int16: JsonScalar {}
extension Int32: JsonScalar {}
extension Int64: JsonScalar {}
extension UInt: JsonScalar {}
extension UInt8: JsonScalar {}
extension UInt16: JsonScalar {}
extension UInt32: JsonScalar {}
extension UInt64: JsonScalar {}
extension Float: JsonScalar {}
extension Double: JsonScalar {}
extension Decimal: JsonScalar {}
extension Date: JsonScalar {}
extension URL: JsonScalar {}
extension UUID: JsonScalar {}

/// The unchanged bytes of the body.
extension Data: RawMappable, DTOConvertible {
    /// Bytes are their own raw form.
    public typealias Raw = Data

    /// Bytes are their own DTO.
    public typealias DTO = Data

    /// Returns the bytes.
    public func toRaw() -> Data { self }

    /// Returns the bytes.
    public static func from(raw: Data) -> Data { raw }
}

/// Untyped JSON: passes a chain unchanged.
extension Json: RawMappable, DTOConvertible {
    /// JSON is its own raw form.
    public typealias Raw = Json

    /// JSON is its own DTO.
    public typealias DTO = Json

    /// Returns the value.
    public func toRaw() -> Json { self }

    /// Parses the whole value, so that a body that is not JSON fails the call and not the first access.
    ///
    /// The value is `null` if the status says that there is no body.
    /// - Throws: ``JsonError`` when the bytes are not JSON.
    public static func from(raw: Json) throws -> Json { raw.isNoContent ? nil : try raw.parsed() }
}
