public import CoreNetKitHTTP

/// One part of a multipart response, with its content as a model.
public struct Part<Model: Sendable>: Sendable {
    /// The part's own fields.
    public let headers: Headers
    /// What the content says.
    public let model: Model
}
