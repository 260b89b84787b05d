public import CoreNetKitHTTP

/// Provides header fields for a call: a locale, a device id.
///
/// A provider is called once per call, not per attempt. Tokens that expire belong in a token source, and a signature at
/// `.inside(of: .exchange, "signature")`.
public protocol MetadataProvider: Sendable {
    /// Returns the fields; a later provider's field replaces an earlier one's of the same name.
    ///
    /// - Returns: The header fields.
    /// - Throws: Anything; the call fails with it as the cause.
    func metadata() async throws -> Headers
}

extension Dictionary: MetadataProvider where Key == String, Value == String {
    /// The pairs as fields, sorted by name.
    public func metadata() async throws -> Headers {
        Headers(sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }
}

extension Headers: MetadataProvider {
    /// The fields themselves.
    public func metadata() async throws -> Headers { self }
}
