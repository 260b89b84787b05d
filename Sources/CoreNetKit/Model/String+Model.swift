#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The text of the body as UTF-8; not a JSON string, that is ``Json``.
extension String: RawMappable, DTOConvertible {
    /// Text travels as bytes.
    public typealias Raw = Data

    /// Text is its own entry.
    public typealias DTO = String

    /// Writes the text as UTF-8.
    ///
    /// - Returns: The bytes of the text.
    public func toRaw() -> Data { Data(utf8) }

    /// Reads the body as UTF-8.
    ///
    /// - Parameter raw: The body.
    /// - Returns: The text.
    /// - Throws: `DecodingError.dataCorrupted` when the bytes are not UTF-8; nothing is replaced.
    public static func from(raw: Data) throws -> String {
        guard let text = String(validating: raw, as: UTF8.self) else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The body is not UTF-8 text."))
        }
        return text
    }
}
