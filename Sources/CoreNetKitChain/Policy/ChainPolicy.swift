/// A part of a chain's behaviour: says where it stands and makes its nodes.
///
/// ### Choose a policy
/// Retry, tokens, limits and their like are policies, each with a verb. A node without settings needs none: `insert(at:)`.
///
/// ### Use a policy
/// `client.with(policy)` sets it for all chains of a client, `builder.with(policy)` for one; `without(_:)` takes it away.
///
/// ### Implement a policy
/// Name a position of ``ChainPosition/all``, or one's own outside or inside of it, and make a node that owns `next`. What
/// must remember between calls lives in the policy, a class, or in ``ChainParts/shared``. A node may look at the policies
/// inside of its position, not at those outside: the inner part of a chain is kept and used again under other outer parts.
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
    /// Where the nodes stand: one position, or several that are set and replaced as a unit; none for a policy that only
    /// tells others something, of which there is one of each type.
    var positions: [ChainPosition] { get }

    /// Makes the node of a position.
    ///
    /// - Parameters:
    ///   - position: One of ``positions``.
    ///   - next: The node after it.
    ///   - parts: What nodes are made of.
    /// - Returns: The node, or `next` itself where there is nothing to do.
    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange

    /// What makes the responses of two calls of equal requests different; `.unknown` unless the policy says otherwise.
    var scope: PolicyScope { get }

    /// Whose calls pass this policy, where it knows.
    var partitionProvider: (any PartitionProvider)? { get }

    /// What the policy keeps for a user, where it keeps something: it is asked to let go at sign-out.
    var keeper: (any SessionKeeper)? { get }

    /// A step around the models; `nil` for nearly all policies.
    var layer: (any Layer)? { get }

    /// What is wrong with the policy's settings, on one line: every call of the chain fails with `invalidChain`.
    var problem: String? { get }
}

extension ChainPolicy {
    /// Unknown.
    public var scope: PolicyScope { .unknown }
    /// Not known here.
    public var partitionProvider: (any PartitionProvider)? { nil }
    /// Nothing.
    public var keeper: (any SessionKeeper)? { nil }
    /// None.
    public var layer: (any Layer)? { nil }
    /// Nothing.
    public var problem: String? { nil }
}

/// A policy made of a closure: a node of one's own at a position.
struct InsertedPolicy: ChainPolicy {
    let positions: [ChainPosition]
    let scope: PolicyScope
    let make: @Sendable (Exchange) -> Exchange

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange { make(next) }
}
