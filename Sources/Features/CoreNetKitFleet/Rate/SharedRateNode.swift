import CoreNetKitChain
import CoreNetKitHTTP

/// Sends requests no faster than a rate that several processes share.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. It is inside retry and hedging, because the
/// server counts every attempt.
struct SharedRateNode: PolicyNode {
    static let position = ChainPosition.rate

    let next: Exchange
    let rate: SharedRate

    /// Waits for the request's turn and passes it on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `rateLimited` at once when the turn comes after the deadline, or errors of next.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if rate.settings.isDryRun {
            rate.watch(context.clock)
        } else {
            try await wait(context)
        }
        return try await next.process(input, context: context)
    }

    private func wait(_ context: RequestContext) async throws {
        let clock = context.clock
        let now = clock.now
        if let turn = rate.inHand(at: now) {
            guard turn > now else { return }
            return try await wait(until: turn, now, context)
        }
        switch try await rate.turn(context) {
        case .go(let time): if time > clock.now { try await wait(until: time, clock.now, context) }
        case .refused(let wait, let why): throw failure(why, after: wait)
        }
    }

    private func wait(until turn: Duration, _ now: Duration, _ context: RequestContext) async throws {
        if let deadline = context.deadline, turn >= deadline {
            rate.giveBack(turn, at: now)
            throw failure("the rate allows the next request only after the deadline", after: turn - now)
        }
        do {
            try await context.waiting(for: .init(.rate, planned: turn - now)) {
                try await context.clock.sleep(until: turn)
            }
        } catch {
            rate.giveBack(turn, at: context.clock.now)
            throw error
        }
    }

    private func failure(_ message: String, after wait: Duration?) -> NetworkError {
        .queued(.rateLimited, message, node: id, retryAfter: wait)
    }
}
