package import CoreNetKitChain
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Passes only the last call of a burst, only the first, or only the latest of all.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It is the outermost node, so a superseded call ends as
/// cancelled: it is not sent, or it is ended on the wire.
package struct PaceNode: PolicyNode {
    package static let position = ChainPosition.pace

    package let next: Exchange
    let pace: PacePolicy

    /// Waits if the pace requires it, and passes the value on.
    ///
    /// - Parameters:
    ///   - input: The value that enters.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: `CancellationError` for a superseded call, ``NetworkError`` with code `deadlineExceeded`, or an error of
    ///   the next node.
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
                return .failure(
                    NetworkError(
                        .deadlineExceeded,
                        "the deadline passed while the call was delayed",
                        node: "PaceNode"
                    )
                )
            }
        }
    }
}
