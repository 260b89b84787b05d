/// Lets through only the last call of a burst, or only the first.
///
/// The same value in and out. It stands outside of everything: a call that gives way ends as cancelled and has not been
/// encoded, let alone sent.
public struct PaceNode<Next: Node>: Node {
    private let next: Next
    private let pace: Pace
    private let client: Client

    /// Creates the node in front of `next`.
    ///
    /// - Parameters:
    ///   - next: The node that takes the calls that pass.
    ///   - pace: Which ones pass.
    ///   - client: Whose clock counts.
    public init(next: Next, pace: Pace, client: Client = .shared) {
        self.next = next
        self.pace = pace
        self.client = client
    }

    /// The next node.
    public var successors: [any Node] { [next] }

    /// Waits, where the pace asks for it, and passes the value on.
    ///
    /// - Parameters:
    ///   - input: The value that enters.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: `CancellationError` for a call that gives way, ``NetworkError`` with code `deadlineExceeded`, or what
    ///   next throws.
    public func process(_ input: Next.Input, context: RequestContext) async throws -> Next.Output {
        guard pace.interval > .zero else {
            throw NetworkError(.invalidChain, "the interval of \(pace.interval) is not above zero", stage: id)
        }
        switch pace.kind {
        case .first:
            guard pace.debouncer.pass(pace.key, every: pace.interval, at: client.clock.now) else {
                context.record(.info, id, "gives way: another call of '\(pace.key)' has just passed")
                throw CancellationError()
            }
        case .last: try await waitForSilence(context)
        }
        return try await next.process(input, context: context)
    }

    private func waitForSilence(_ context: RequestContext) async throws {
        let caller = Waiter<Void>()
        let end = client.clock.now + pace.interval
        let deadline = context.deadline ?? end
        pace.debouncer.replace(pace.key, with: caller)
        defer { pace.debouncer.leave(pace.key, caller) }
        do {
            try await caller.value(until: min(end, deadline), on: client.clock) {
                guard deadline < end else { return .success(()) }
                return .failure(
                    NetworkError(
                        .deadlineExceeded,
                        "the deadline passed while the call was held back",
                        stage: "PaceNode"
                    )
                )
            }
        } catch let cancellation as CancellationError {
            if !Task.isCancelled {
                context.record(.info, id, "gives way to a newer call of '\(pace.key)'")
            }
            throw cancellation
        }
    }
}

/// Which calls of a key pass.
public struct Pace: Sendable {
    enum Kind: Sendable {
        case first, last
    }

    let kind: Kind
    let key: String
    let interval: Duration
    let debouncer: Debouncer

    /// The last call of a burst, when no other has come for the interval.
    public static func debounce(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Pace {
        Pace(kind: .last, key: key, interval: interval, debouncer: debouncer)
    }

    /// The first call of each interval.
    public static func throttle(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Pace {
        Pace(kind: .first, key: key, interval: interval, debouncer: debouncer)
    }
}
