/// How a policy distinguishes two calls with identical requests.
///
/// Coalescing and caching share a response only between calls whose inner policies have the same scopes, and never if
/// one is ``unknown``.
public enum PolicyScope: Sendable, Hashable {
    /// Nothing: the response does not depend on the policy.
    case none
    /// One object, such as a token source: calls through the same object get the same response.
    case object(ObjectIdentifier)
    /// Unknown: a custom node may add a user to each request.
    case unknown
}
