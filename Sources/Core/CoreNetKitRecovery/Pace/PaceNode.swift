public import CoreNetKitChain
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Passes only the last call of a burst, only the first, or only the latest of all.
///
/// It is the outermost node, so a superseded call ends as cancelled: it is not sent, or it is ended on the wire.
package struct PaceNode: PolicyNode {
    package static let position = ChainPosition.pace

    package let next: Exchange
    let pace: PacePolicy

    /// Waits if the pace requires it, and passes the value on; a superseded call ends as cancelled.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        switch pace.kind {
        case .first:
            guard pace.debouncer.pass(pace.key, every: pace.interval, at: context.clock.now) else {
                context.record(.info, id, "superseded: another call of '\(pace.key)' has just passed")
                throw CancellationError()
            }
            return try await next.process(input, context: context)
        case .last:
            return try await supersedingEarlierCalls(context) {
                try await waitForSilence(context)
                return try await next.process(input, context: context)
            }
        case .latest:
            return try await supersedingEarlierCalls(context) { try await next.process(input, context: context) }
        }
    }

    /// Runs a call in place of the previous one, whatever the state of that one.
    private func supersedingEarlierCalls(
        _ context: RequestContext,
        _ work: @escaping @Sendable () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        do {
            return try await pace.debouncer.latest(pace.key, work)
        } catch let cancellation as CancellationError {
            if !Task.isCancelled {
                context.record(.info, id, "superseded by a newer call of '\(pace.key)'")
            }
            throw cancellation
        }
    }

    private func waitForSilence(_ context: RequestContext) async throws {
        let caller = Waiter<Void>()
        let end = context.clock.time(after: pace.interval)
        let deadline = context.deadline ?? end
        try await context.waiting(for: .init(.pace, planned: pace.interval)) {
            try await caller.value(until: min(end, deadline), on: context.clock) {
                guard deadline < end else { return .success(()) }
                let message = "the deadline passed while the call was delayed"
                return .failure(NetworkError(.deadlineExceeded, message, node: "PaceNode"))
            }
        }
    }
}

struct PacePolicy: ChainPolicy {
    enum Kind: Sendable {
        /// The first of each interval.
        case first
        /// The last of a burst.
        case last
        /// Each call, until the next one arrives.
        case latest
    }

    let kind: Kind
    let key: String
    var interval = Duration.zero
    let debouncer: Debouncer

    var positions: [ChainPosition] { [PaceNode.position] }
    var scope: PolicyScope { .none }
    var problem: String? {
        kind == .latest || interval > .zero ? nil : "the interval of \(interval) is not above zero"
    }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        PaceNode(next: next, pace: self)
    }
}

extension PolicyHolder {
    /// Delays each call of a key until no other has arrived for an interval, above zero; the earlier ones end as cancelled.
    ///
    /// So does one that was already sent, when the next one arrives: its response would be stale.
    public func debounce(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .last, key: key, interval: interval, debouncer: debouncer))
    }

    /// Cancels the running call of a key when the next one arrives, so that a stale response never wins.
    public func latest(_ key: String, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .latest, key: key, debouncer: debouncer))
    }

    /// Passes the first call of a key and no other for an interval, above zero; the others end as cancelled, at once.
    public func throttle(_ key: String, for interval: Duration, in debouncer: Debouncer) -> Self {
        with(PacePolicy(kind: .first, key: key, interval: interval, debouncer: debouncer))
    }
}
