public import CoreNetKitHTTP

/// Provides header fields for a request right before it is sent: a locale, a device id, a signature.
///
/// Tokens that expire belong into a token source: a provider is called only once for each call.
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
