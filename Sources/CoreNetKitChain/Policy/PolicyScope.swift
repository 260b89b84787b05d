/// What a policy contributes to the difference between two calls whose requests are the same bytes.
///
/// Coalescing and caching share a response only between calls whose policies inside of them have the same scopes, and not
/// at all where one is ``unknown``.
public enum PolicyScope: Sendable, Hashable {
    /// Nothing: the response does not depend on the policy.
    case none
    /// One object, such as a token source: calls through the same object get the same response.
    case object(ObjectIdentifier)
    /// Nobody knows: a node of one's own may add a user to each request.
    case unknown
}
