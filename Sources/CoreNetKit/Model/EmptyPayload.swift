/// No content: what a `Void` input sends and a `Void` output takes.
public struct EmptyPayload: Sendable, Hashable {
    /// Creates no content.
    public init() {}
}
