/// No content: a `Void` input sends it, and a `Void` output receives it.
public struct EmptyPayload: Sendable, Hashable {
    /// Creates no content.
    public init() {}
}
