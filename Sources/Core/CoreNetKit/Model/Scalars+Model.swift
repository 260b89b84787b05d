public import CoreNetKitEssentials

/// A scalar that is its own entry: `[Int]`, `[String: Date]` and similar can be sent and received.
public protocol JsonScalar: RawMappable, DTOConvertible, Codable, Sendable where Raw == Json, DTO == Self {}

extension JsonScalar {
    /// Decodes the scalar with the options of the chain.
    ///
    /// - Parameter raw: The JSON of the scalar.
    /// - Returns: The scalar.
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
