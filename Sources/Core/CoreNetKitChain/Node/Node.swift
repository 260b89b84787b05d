public import CoreNetKitHTTP

/// One typed step of a chain: takes an input, returns an output, and usually owns the step after it.
///
/// ### Choose a node
/// The builder assembles the default chain; `Chain.description` prints its order. A node with settings, state or a
/// method on the builder becomes a ``ChainPolicy``; a ``Layer`` wraps models of any type; for a few lines of code there
/// is ``AnyNode``.
///
/// ### Use a node
/// `insert(at: .attempt) { BuildNode(next: $0, build: "7") }` inserts one into the chains of a client or a builder, at
/// one of ``ChainPosition/all``; to make a chain by hand, use `Chain(first)`.
///
/// ### Implement a node
/// Store `next` in a `let`, as `any Node<A, B>`; a ``ChainStep`` needs nothing else. Call it once, respond without it,
/// or, for recovery, call it again deliberately. Keep no per-call state in `self`: data of one call belongs in the
/// context. Rethrow `CancellationError` unchanged and catch only errors that the node handles.
///
/// ```swift
/// struct BuildNode: ChainStep {
///     let next: Exchange
///     let build: String
///
///     func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
///         var request = input
///         request.headers["X-Build"] = "\(build)-\(context.attempt)"
///         return try await next.process(request, context: context)
///     }
/// }
/// ```
public protocol Node<Input, Output>: Sendable {
    /// The type of the input.
    associatedtype Input: Sendable
    /// The type of the output.
    associatedtype Output: Sendable

    /// Passes one input through this step and all that follow.
    ///
    /// - Throws: ``NetworkError``, or `CancellationError` when the call was cancelled.
    func process(_ input: Input, context: RequestContext) async throws -> Output

    /// The nodes that this one may call, for the chain's description; empty for the last node.
    var successors: [any Node] { get }

    /// The stable name in logs, errors and diagrams; by default the type's name without generic arguments.
    var id: NodeID { get }
}

extension Node {
    /// The type's name without generic arguments.
    public var id: NodeID { NodeID(Self.self) }
}

/// A node with a single next node, like most nodes.
///
/// It provides `successors`. A node that branches, or that ends the chain, conforms to ``Node`` directly.
public protocol ChainStep: Node {
    /// The type of the next node, `any Node<A, B>`.
    associatedtype Next: Sendable

    /// The node after this one.
    var next: Next { get }
}

extension ChainStep {
    /// The next node.
    public var successors: [any Node] { (next as? any Node).map { [$0] } ?? [] }
}

/// A node of the part of the chain that handles bytes on both sides.
public typealias Exchange = any Node<TransportRequest, TransportResponse>

/// A step that wraps any chain, whatever its models: for timing, tracing or a progress indicator.
///
/// Layers are outside all other nodes: they see the app models.
public protocol Layer: Sendable {
    /// Wraps a chain with the step; the node usually calls `next` once.
    func wrap<Input: Sendable, Output: Sendable>(_ next: any Node<Input, Output>) -> any Node<Input, Output>
}
