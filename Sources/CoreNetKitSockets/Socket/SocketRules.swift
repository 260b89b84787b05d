import CoreNetKitChain
import CoreNetKitHTTP

/// What a user asked of a socket before it was opened.
struct SocketRules<In: Sendable, Out: Sendable>: Sendable {
    /// Where the verbs of a chain leave them for its first node.
    enum Key: Attributes.Key {
        typealias Value = SocketRules
    }

    var hello: (@Sendable (SocketResume) async throws -> [Out])?
    var failures: [@Sendable (In) -> (any Error)?] = []
    var decide: (@Sendable (SocketClose) -> SocketDecision?)?
    var skipsUnreadable = false
}
