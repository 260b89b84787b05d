public import CoreNetKitHTTP
import Dispatch

/// A sequence of nodes that runs as one call: the builder returns it, and a service calls it.
///
/// A chain is a value without state; it may be stored, shared and called any number of times at once.
public struct Chain<Input: Sendable, Output: Sendable>: Sendable {
    package let head: any Node<Input, Output>
    /// One reference: chains are often built for a single call, and there are many options.
    private let shared: CallOptions.Shared
    package var options: CallOptions { shared.options }

    package init(head: any Node<Input, Output>, options: CallOptions) {
        self.init(head: head, sharing: CallOptions.Shared(options))
    }

    package init(head: any Node<Input, Output>, sharing shared: CallOptions.Shared) {
        self.head = head
        self.shared = shared
    }

    /// Makes a chain of your own nodes.
    ///
    /// - Parameters:
    ///   - head: The first node.
    ///   - deadline: How long each call may take; `nil` for no limit. `TransportNode` and the policies enforce it;
    ///     your own last node checks ``RequestContext/deadline``.
    ///   - clock: The clock of the deadline; the nodes need the same one.
    ///   - log: What is recorded of each call; `nil` for nothing.
    public init(
        _ head: any Node<Input, Output>,
        deadline: Duration? = .seconds(60),
        clock: CallClock = .continuous,
        log: LogConfiguration? = nil
    ) {
        var options = CallOptions()
        options.clock = clock
        options.deadline = deadline.map { .limit($0) } ?? .none
        options.listeners.log = log
        self.init(checked: head, options: options)
    }

    /// A chain that is checked for problems of order, unless the caller has found one.
    package init(checked head: any Node<Input, Output>, options: CallOptions, problem: String? = nil) {
        var options = options
        options.problem = problem ?? options.problem ?? ChainPosition.problems(below: head).first
        self.init(head: head, options: options)
    }

    /// Calls the chain and waits for its value.
    ///
    /// Cancelling the task ends the exchange on the wire. The work never runs on the main actor.
    /// - Throws: ``NetworkError``, or `CancellationError` when the task was cancelled.
    public func call(_ input: Input) async throws -> Output { try await run(input) }

    /// Starts a call and returns its observer.
    ///
    /// The call runs to its end even if the observer is not kept; ``Observer/cancel()`` ends it on the wire.
    public func observe(_ input: Input) -> Observer<Output> { start(input) }

    /// Calls the chain and waits for its value, exactly like ``call(_:)``.
    ///
    /// Both overloads of `process` have the same name, so the context decides which one is meant. Prefer ``call(_:)``.
    public func process(_ input: Input) async throws -> Output { try await run(input) }

    package func run(_ input: Input) async throws -> Output { try await run(input, by: shared) }

    /// Makes a call that is part of a larger operation: it fails once the session in which that operation began has ended.
    ///
    /// The operation decides by the original error of the call, and applies the error model to its own.
    package func process(_ input: Input, continuing user: CallUser) async throws -> Output {
        try user.requireUnchanged(at: head.id)
        var options = options
        options.startingUser = user
        options.errorModel = nil
        return try await run(input, by: CallOptions.Shared(options))
    }

    /// Starts a call and returns its observer, exactly like ``observe(_:)``.
    ///
    /// A call whose observer is dropped compiles without a warning. Prefer ``observe(_:)``.
    @discardableResult
    public func process(_ input: Input) -> Observer<Output> { start(input) }

    package func start(_ input: Input) -> Observer<Output> {
        let context = Context<Output>(deliverOn: shared.options.queue)
        // A detached task does not inherit the task-local values: the refresh scope, the trace and the deadline.
        let scope = CallUser.refreshers
        let trace = TraceContext.current
        let deadline = CallDeadline.surrounding
        let task = Task.detached(priority: shared.options.priority) {
            do {
                let isPlain = scope.isEmpty && trace == nil && deadline == nil
                let value =
                    isPlain
                    ? try await run(input)
                    : try await run(input, within: scope, trace, deadline)
                context.complete(data: value)
            } catch is CancellationError {
                context.cancel()
            } catch {
                context.complete(error: error)
            }
        }
        context.onCancel { task.cancel() }
        return context
    }

    private func run(
        _ input: Input,
        within scope: Set<ObjectIdentifier>,
        _ trace: TraceContext?,
        _ deadline: CallDeadline?
    ) async throws -> Output {
        try await CallUser.$refreshers.withValue(scope) {
            try await TraceContext.$current.withValue(trace) {
                try await CallDeadline.$current.withValue(deadline) { try await run(input) }
            }
        }
    }

    /// Lets nested calls inherit the deadline; separate from `run`, because most calls do not need it.
    private func enter(_ input: Input, _ context: RequestContext) async throws -> Output {
        let deadline = CallDeadline(end: context.deadline, clock: context.clock)
        return try await CallDeadline.$current.withValue(deadline) {
            try await head.process(input, context: context)
        }
    }

    private static func failure(of error: any Error, _ head: any Node) -> (any Error)? {
        if let mapped = error as? MappedError { return mapped.error }
        return NetworkError.wrapping(error, node: head.id)
    }

    // Inlined on the hot path: each separate async function costs two executor checks.
    @inline(__always)
    private func run(_ input: Input, by shared: CallOptions.Shared) async throws -> Output {
        let context = shared.context()
        do {
            try Task.checkCancellation()
            if let problem = shared.problem { throw NetworkError(.invalidChain, problem, node: head.id) }
            let output =
                shared.deadline.overridesInheritedDeadline
                ? try await enter(input, context) : try await head.process(input, context: context)
            context.finish(.completed, .completed)
            return output
        } catch {
            if let onFailure = shared.options.onFailure { onFailure() }
            // A cancelled call ends as cancelled, whatever error its nodes made of it.
            guard !Task.isCancelled, let failure = Self.failure(of: error, head) else {
                context.finish(.cancelled, .cancelled)
                throw CancellationError()
            }
            let shown = shared.options.showingContent(failure)
            context.finish(.failed, .failed(.init(shown)))
            throw shared.options.errorForCaller(shown)
        }
    }
}

extension Chain where Input == Void {
    /// Calls the chain and waits for its value.
    public func call() async throws -> Output { try await run(()) }

    /// Starts a call and returns its observer.
    public func observe() -> Observer<Output> { start(()) }

    /// Calls the chain and waits for its value, exactly like ``call()``, which is the name to prefer.
    public func process() async throws -> Output { try await run(()) }

    /// Starts a call and returns its observer, exactly like ``observe()``, which is the name to prefer.
    @discardableResult
    public func process() -> Observer<Output> { start(()) }
}

extension Chain: CustomStringConvertible, DescriptionOnly {
    /// The nodes in the order in which a request passes them, one per line; branches are indented.
    public var description: String { Self.lines(of: head, indent: "").joined(separator: "\n") }

    private static func lines(of node: any Node, indent: String) -> [String] {
        let successors = node.successors
        let below = successors.count > 1 ? indent + "  " : indent
        return ["\(indent)\(node.id)"] + successors.flatMap { lines(of: $0, indent: below) }
    }

    /// The problems of the order of the nodes, one line each; every call of such a chain fails with `invalidChain`.
    public var diagnostics: [String] { ChainPosition.problems(below: head) }
}
