/// One typed step of a chain: takes an input, gives an output, and usually owns the step after it.
///
/// ### Choose a node
/// The builder puts the default chain together; its order is printed by ``Chain/description``.
///
/// ### Implement a node
/// Store `next` in a `let`, generic or as `any Node<A, B>`. Call it once, answer without it, or, for recovery, call it
/// again on purpose. Keep no per-call state in `self`: what belongs to one call rides in the context. Rethrow
/// `CancellationError` untouched and catch only what the node owns.
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
