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

    /// Waits for the request's time and passes it on.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The output of the next node.
    /// - Throws: ``NetworkError`` with code `rateLimited` at once when its time comes after the deadline, or errors of next.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        if rate.settings.isDryRun {
            rate.countDryRun(context.clock)
        } else {
            try await wait(context)
        }
        return try await next.process(input, context: context)
    }

    private func wait(_ context: RequestContext) async throws {
        let clock = context.clock
        let now = clock.now
        if let time = rate.takeReserved(at: now) {
            guard time > now else { return }
            return try await wait(until: time, now, context)
        }
        switch try await rate.acquire(context) {
        case .go(let time): if time > clock.now { try await wait(until: time, clock.now, context) }
        case .refused(let wait, let why): throw failure(why, after: wait)
        }
    }

    private func wait(until time: Duration, _ now: Duration, _ context: RequestContext) async throws {
        if let deadline = context.deadline, time >= deadline {
            rate.returnToken(time, at: now)
            throw failure("the rate allows the next request only after the deadline", after: time - now)
        }
        do {
            try await context.waiting(for: .init(.rate, planned: time - now)) {
                try await context.clock.sleep(until: time)
            }
        } catch {
            rate.returnToken(time, at: context.clock.now)
            throw error
        }
    }

    private func failure(_ message: String, after wait: Duration?) -> NetworkError {
        .queued(.rateLimited, message, node: id, retryAfter: wait)
    }
}
