/// A part of a chain's behaviour: declares its positions and makes its nodes.
///
/// ### Choose a policy
/// Retry, tokens, limits and similar features are policies, each with its own method. A node without settings needs none:
/// use `insert(at:)`.
///
/// ### Use a policy
/// `client.with(policy)` sets it for all chains of a client, `builder.with(policy)` for one; `without(_:)` removes it.
///
/// ### Implement a policy
/// Name a position of ``ChainPosition/all``, or a custom one outside or inside it, and make a node that owns `next`.
/// State that outlives a call belongs in the policy, which is then a class, or in ``ChainParts/shared``. A node may read
/// the policies inside its position, not those outside, because the inner part of a chain may also be folded alone.
///
/// ```swift
/// struct TenantPolicy: ChainPolicy {
///     let tenant: String
///
///     var positions: [ChainPosition] { [.outside(of: .status, "tenant")] }
///     var problem: String? { tenant.isEmpty ? "a tenant needs a name" : nil }
///
///     func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
///         AnyNode("Tenant", successors: [next]) { request, context in
///             var request = request
///             request.headers["X-Tenant"] = tenant
///             return try await next.process(request, context: context)
///         }
///     }
/// }
/// ```
public protocol ChainPolicy: Sendable {
    /// The positions of its nodes: one, or several that are set and replaced as a unit; none for a policy that only
    /// informs others, of which there is at most one per type.
    var positions: [ChainPosition] { get }

    /// Makes the node of one of its positions in front of `next`, or returns `next` if there is nothing to do.
    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange

    /// How the policy makes the responses to equal requests differ; `.unknown` by default.
    var scope: PolicyScope { get }

    /// The source of the user of the calls that pass this policy, if it has one.
    var partitionProvider: (any PartitionProvider)? { get }

    /// The keeper of users' data in this policy, if there is any: it deletes the data at sign-out.
    var keeper: (any SessionDataOwner)? { get }

    /// A layer around the models; `nil` for nearly all policies.
    var layer: (any Layer)? { get }

    /// A problem of the policy's settings, on one line: with one, every call of the chain fails with `invalidChain`.
    var problem: String? { get }
}

extension ChainPolicy {
    /// Unknown.
    public var scope: PolicyScope { .unknown }
    /// None.
    public var partitionProvider: (any PartitionProvider)? { nil }
    /// None.
    public var keeper: (any SessionDataOwner)? { nil }
    /// None.
    public var layer: (any Layer)? { nil }
    /// None.
    public var problem: String? { nil }
}

/// A policy of this package, whose users need not see what it says to chains.
///
/// A public member of an extension of a protocol that is not public is a witness, but no public symbol.
package protocol BuiltInPolicy: ChainPolicy {
    /// Its ``ChainPolicy/positions``.
    var nodePositions: [ChainPosition] { get }

    /// Makes its ``ChainPolicy/node(at:before:with:)``.
    func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange

    /// Its ``ChainPolicy/scope``.
    var callScope: PolicyScope { get }

    /// Its ``ChainPolicy/problem``; none by default.
    var settingsProblem: String? { get }
}

extension BuiltInPolicy {
    package var settingsProblem: String? { nil }

    /// What chains ask for.
    public var positions: [ChainPosition] { nodePositions }
    /// What chains ask for.
    public var scope: PolicyScope { callScope }
    /// What chains ask for.
    public var problem: String? { settingsProblem }

    /// What chains ask for.
    public func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        makeNode(at: position, before: next, with: parts)
    }
}

/// A policy made from a closure: a custom node at a position.
struct InsertedPolicy: ChainPolicy {
    let positions: [ChainPosition]
    let scope: PolicyScope
    let make: @Sendable (Exchange) -> Exchange

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { make(next) }
}

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
