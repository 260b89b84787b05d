public import CoreNetKit
import CoreNetKitHTTP
import CoreNetKitPeer

/// Records what passes through one or more nodes, see ``ProbeNode``.
public final class Probe<Input: Sendable, Output: Sendable>: Sendable {
    private struct State: Sendable {
        var inputs: [Input] = []
        var contexts: [RequestContext] = []
        var outcomes: [Result<Output, any Error>] = []
    }

    private let state = Watched(State())

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

    /// Waits until this number of inputs have entered.
    ///
    /// - Parameter count: The number of inputs in all.
    /// - Returns: All inputs so far.
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
