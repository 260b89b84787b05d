public import CoreNetKitChain
import CoreNetKitHTTP
import CoreNetKitPeer

/// Records what passes through one or more nodes, see ``ProbeNode``.
public final class Probe<Input: Sendable, Output: Sendable>: Sendable {
    private let state = WaitableState(
        (inputs: [Input](), contexts: [RequestContext](), outcomes: [Result<Output, any Error>]())
    )

    /// Creates an empty probe.
    public init() {}

    /// The inputs, in order.
    public var inputs: [Input] { state.read { $0.inputs } }

    /// The contexts of the inputs, in the same order.
    public var contexts: [RequestContext] { state.read { $0.contexts } }

    /// The outputs and errors, in the order of completion.
    public var outcomes: [Result<Output, any Error>] { state.read { $0.outcomes } }

    /// The outputs, in order, without errors.
    public var outputs: [Output] { outcomes.compactMap { try? $0.get() } }

    /// Waits until at least this many inputs have entered, and returns all.
    ///
    /// - Throws: `CancellationError` when the waiting task is cancelled first.
    @discardableResult
    public func waitForInputs(_ count: Int) async throws -> [Input] {
        try await state.wait { $0.inputs.count >= count }
        return inputs
    }

    func pass(
        _ input: Input,
        _ context: RequestContext,
        to body: (Input, RequestContext) async throws -> Output
    ) async throws -> Output {
        state.update { state in
            state.inputs.append(input)
            state.contexts.append(context)
        }
        do {
            let output = try await body(input, context)
            state.update { $0.outcomes.append(.success(output)) }
            return output
        } catch {
            state.update { $0.outcomes.append(.failure(error)) }
            throw error
        }
    }
}

/// A node for tests that records what passes through it: the last of a chain, made from a closure, or one before another.
///
///     let next = ProbeNode<Int, String> { input, _ in "\(input)" }
///     #expect(try await MyNode(next: next).process(7, context: .init()) == "7")
///     #expect(next.probe.inputs == [7])
public struct ProbeNode<Input: Sendable, Output: Sendable>: Node {
    /// The recording.
    public let probe: Probe<Input, Output>
    /// The name in logs, errors and diagrams.
    public let id: NodeID
    /// The next node, if there is one.
    public let successors: [any Node]
    private let body: @Sendable (Input, RequestContext) async throws -> Output

    /// Creates a last node, whose output the closure returns.
    public init(
        id: NodeID = "ProbeNode",
        _ body: @escaping @Sendable (Input, RequestContext) async throws -> Output
    ) {
        probe = Probe()
        self.id = id
        successors = []
        self.body = body
    }

    /// Creates a node that passes everything to the next one; several nodes may share a recording.
    public init(
        _ probe: Probe<Input, Output> = .init(),
        id: NodeID = "ProbeNode",
        before next: any Node<Input, Output>
    ) {
        self.probe = probe
        self.id = id
        successors = [next]
        body = { input, context in try await next.process(input, context: context) }
    }

    /// Records the input, then calls the closure or the next node.
    public func process(_ input: Input, context: RequestContext) async throws -> Output {
        try await probe.pass(input, context, to: body)
    }
}
