public import CoreNetKitHTTP

/// A payload encoded for HTTP: content, or items of the query.
public struct EncodedPayload: Sendable {
    /// Escaped query items joined by `&`, without `?`; empty adds nothing.
    public var query: String
    /// The content.
    public var body: RequestBody
    /// The media type of the content; `nil` without content.
    public var contentType: String?

    /// Creates an encoded payload.
    public init(query: String = "", body: RequestBody = .empty, contentType: String? = nil) {
        self.query = query
        self.body = body
        self.contentType = contentType
    }
}
