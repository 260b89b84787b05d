public import CoreNetKitHTTP

/// One part of a multipart response, with its content as a model.
public struct Part<Model: Sendable>: Sendable {
    /// The part's own fields.
    public let headers: Headers
    /// The decoded content.
    public let model: Model
}
