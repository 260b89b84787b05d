package import CoreNetKitChain
package import CoreNetKitHTTP

/// Lets through only the last call of a burst, or only the first.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It stands outside of everything: a call that gives way
/// ends as cancelled and is not sent.
package struct PaceNode: PolicyNode {
    package static let position = ChainPosition.pace

    package let next: Exchange
    let pace: PacePolicy

    /// Waits, where the pace asks for it, and passes the value on.
    ///
    /// - Parameters:
    ///   - input: The value that enters.
    ///   - context: What belongs to this call alone.
    /// - Returns: What next gives.
    /// - Throws: `CancellationError` for a call that gives way, ``NetworkError`` with code `deadlineExceeded`, or what
    ///   next throws.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        switch pace.kind {
        case .first:
            guard pace.debouncer.pass(pace.key, every: pace.interval, at: context.clock.now) else {
                context.record(.info, id, "gives way: another call of '\(pace.key)' has just passed")
                throw CancellationError()
            }
        case .last: try await waitForSilence(context)
        }
        return try await next.process(input, context: context)
    }

    private func waitForSilence(_ context: RequestContext) async throws {
        let caller = Waiter<Void>()
        let end = context.clock.now + pace.interval
        let deadline = context.deadline ?? end
        pace.debouncer.replace(pace.key, with: caller)
        defer { pace.debouncer.leave(pace.key, caller) }
        do {
            try await context.waiting(for: .init(.pace, planned: pace.interval)) {
                try await caller.value(until: min(end, deadline), on: context.clock) {
                    guard deadline < end else { return .success(()) }
                    return .failure(
                        NetworkError(
                            .deadlineExceeded,
                            "the deadline passed while the call was held back",
                            stage: "PaceNode"
                        )
                    )
                }
            }
        } catch let cancellation as CancellationError {
            if !Task.isCancelled {
                context.record(.info, id, "gives way to a newer call of '\(pace.key)'")
            }
            throw cancellation
        }
    }
}
