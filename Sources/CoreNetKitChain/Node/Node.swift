/// One typed step of a chain: takes an input, gives an output, and usually owns the step after it.
///
/// ### Choose a node
/// The builder puts the default chain together; its order is printed by `Chain.description`. Settings, a memory or a verb make a
/// node a ``ChainPolicy``; around models of any type goes a ``Layer``; for a few lines there is ``AnyNode``.
///
/// ### Use a node
/// `insert(at: .attempt) { SigningNode(next: $0, key: "k") }` puts one into the chains of a client or a builder,
/// ``ChainPosition/all`` says where; a chain by hand is `Chain(first)`.
///
/// ### Implement a node
/// Store `next` in a `let`, as `any Node<A, B>`; a ``ChainStep`` has no more to say. Call it once, respond without it, or, for
/// recovery, call it again on purpose. Keep no per-call state in `self`: what belongs to one call rides in the context. Rethrow
/// `CancellationError` untouched and catch only what the node owns.
///
/// ```swift
/// struct SigningNode: ChainStep {
///     let next: Exchange
///     let key: String
///
///     func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
///         var request = input
///         request.headers["X-Signature"] = "\(key)-\(context.attempt)"
///         return try await next.process(request, context: context)
///     }
/// }
/// ```
public protocol Node<Input, Output>: Sendable {
    /// What enters.
    associatedtype Input: Sendable
    /// What leaves.
    associatedtype Output: Sendable

    /// Takes one input through this step and all that follow.
    ///
    /// - Parameters:
    ///   - input: The value that enters.
    ///   - context: What belongs to this call alone.
    /// - Returns: The value that leaves.
    /// - Throws: ``NetworkError``, or `CancellationError` when the call was cancelled.
    func process(_ input: Input, context: RequestContext) async throws -> Output

    /// The nodes that this one may call; empty for the last. The chain is drawn from it.
    var successors: [any Node] { get }

    /// The stable name in logs, errors and diagrams; the type's name without generic arguments unless it says otherwise.
    var id: NodeID { get }
}

extension Node {
    /// The type's name without generic arguments.
    public var id: NodeID { NodeID(Self.self) }
}
