public import CoreNetKit
import CoreNetKitHTTP

/// Records what passes one or more nodes, see ``ProbeNode``.
public final class Probe<Input: Sendable, Output: Sendable>: Sendable {
    private struct State: Sendable {
        var inputs: [Input] = []
        var contexts: [RequestContext] = []
        var outcomes: [Result<Output, any Error>] = []
    }

    private let state = Watched(State())

    /// Creates a probe that has seen nothing.
    public init() {}

    /// What entered, in order.
    public var inputs: [Input] { state.read { $0.inputs } }

    /// The contexts that rode beside the inputs, in the same order.
    public var contexts: [RequestContext] { state.read { $0.contexts } }

    /// What left or was thrown, in the order of the ends.
    public var outcomes: [Result<Output, any Error>] { state.read { $0.outcomes } }

    /// What left, in order, without what was thrown.
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
