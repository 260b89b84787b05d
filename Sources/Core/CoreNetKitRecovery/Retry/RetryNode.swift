public import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Repeats failed attempts if that is safe, allowed and useful (RFC 9110, 9.2.2).
///
/// Next is called once for each attempt, with its number in the context. It is outside the node that turns statuses into errors.
/// The wait is the policy's back-off, after that of a `Retry-After`. The call fails with the last error; the earlier ones are
/// its `history`.
package struct RetryNode: PolicyNode {
    package static let position = ChainPosition.retry

    private enum Verdict {
        case wait(Duration)
        /// The reason for the caller, if it is not obvious why the failure is final.
        case giveUp(String?)
    }

    package let next: Exchange
    private let policy: RetryPolicy
    private let budget: RetryBudget
    private let random: Jitter
    private let date: @Sendable () -> Date
    /// Whether statuses of success are repeated, which most policies do not.
    private let isPolling: Bool

    package init(next: Exchange, policy: RetryPolicy, parts: ChainParts) {
        (self.next, self.policy) = (next, policy)
        budget = parts.retryBudget
        random = parts.random
        date = parts.date
        isPolling = policy.statuses.contains { 200...299 ~= $0 }
    }

    /// Passes the request on, again for each repetition; throws the last error, with the earlier ones as its history.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        budget.deposit(at: context.clock.now)
        var context = context
        context.isCounted = true
        var history: [NetworkError] = []
        while true {
            context.note(.attemptStarted)
            do {
                var response = try await next.process(input, context: context)
                if isPolling, policy.statuses.contains(response.status) { throw pending(response) }
                context.note(.attemptEnded(.init(status: response.status)))
                if context.attempt > 1 { response.attempt = context.attempt }
                return response
            } catch let error as NetworkError {
                var failure = error.of(attempt: context.attempt)
                context.note(.attemptEnded(.init(failure)))
                switch verdict(on: failure, of: input, context) {
                case .wait(let pause):
                    context.note(.retryDecided(.init(true, after: failure.code, delay: pause)))
                    let end = context.clock.time(after: pause)
                    let wait = CallEvent.Wait(.backoff, planned: pause, askedByServer: requestedWait(failure))
                    try await context.waiting(for: wait) { try await context.clock.sleep(until: end) }
                    context = context.nextAttempt
                    history.append(failure)
                case .giveUp(let reason):
                    context.note(.retryDecided(.init(false, after: failure.code, reason: reason)))
                    failure.history = history
                    if let reason { failure.message += "; not tried again: \(reason)" }
                    throw failure
                }
            } catch {
                context.note(.attemptEnded(.init(error)))
                throw error
            }
        }
    }

    private func requestedWait(_ failure: NetworkError) -> Duration? {
        (failure.refusal ?? failure.pending).flatMap { RetryAfter.wait(of: $0.headers, now: date) }
    }

    /// The error of a success that means "ask again", such as 202.
    private func pending(_ response: TransportResponse) -> NetworkError {
        if case .stream(let stream) = response.body { stream.close() }
        let message = "status \(response.status) is one that the retry policy repeats"
        return NetworkError(.unacceptableStatus, message, node: id, response: FailedResponse(response))
    }

    private func verdict(on failure: NetworkError, of request: TransportRequest, _ context: RequestContext) -> Verdict {
        guard context.attempt <= policy.limit, failure.code != .deadlineExceeded else { return .giveUp(nil) }
        guard request.body.isReplayable else {
            return .giveUp(isTransient(failure) ? "the body cannot be sent a second time" : nil)
        }
        var verdict = planned(failure, request)
        if let decide = policy.decide {
            if case .wait(let pause) = verdict {
                verdict = decide(failure, pause).map { .wait($0) } ?? .giveUp(nil)
            } else if let pause = decide(failure, nil) {
                verdict = .wait(pause)
            }
        }
        guard case .wait(let pause) = verdict else { return verdict }
        return allowed(max(pause, .zero), context)
    }

    /// The decision of the rules, before deadline and budget are checked.
    private func planned(_ failure: NetworkError, _ request: TransportRequest) -> Verdict {
        guard isTransient(failure) else { return .giveUp(nil) }
        let requested = requestedWait(failure)
        let isRiskTaken = policy.retriesUnsafeMethodsAfter429 && failure.refusal?.status == 429 && requested != nil
        guard
            isRiskTaken
                || Resending.isAllowed(request, after: failure.isSafeToResend ? .unprocessed : .possiblyProcessed)
        else {
            return .giveUp("\(request.method) without \(IdempotencyKey.fieldName) may have been executed")
        }
        let pause = policy.backoff.ceiling(afterFailures: failure.attempt) * random.next()
        guard let requested else { return .wait(pause) }
        guard requested <= policy.longestRetryAfter else {
            return .giveUp("the server asks to wait \(requested), the policy allows \(policy.longestRetryAfter)")
        }
        return .wait(requested + pause)
    }

    private func isTransient(_ failure: NetworkError) -> Bool {
        (failure.refusal ?? failure.pending).map { policy.statuses.contains($0.status) } ?? failure.isRetryable
    }

    private func allowed(_ pause: Duration, _ context: RequestContext) -> Verdict {
        let (now, end) = (context.clock.now, context.clock.time(after: pause))
        if let deadline = context.deadline, end >= deadline {
            return .giveUp("a wait of \(pause.milliseconds) would pass the deadline")
        }
        return budget.withdraw(at: now, for: end) ? .wait(pause) : .giveUp("the retry budget is used up")
    }
}

extension NetworkError {
    fileprivate var pending: FailedResponse? { code == .unacceptableStatus ? response : nil }
}

extension RequestContext {
    var nextAttempt: RequestContext {
        var copy = attempt == 1 ? nested : self
        copy.attempt += 1
        return copy
    }
}

extension RetryPolicy: BuiltInPolicy {
    package var nodePositions: [ChainPosition] { [RetryNode.position] }
    package var callScope: PolicyScope { .none }

    package func makeNode(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        RetryNode(next: next, policy: self, parts: parts)
    }
}

extension PolicyHolder {
    /// Repeats failed attempts if that is safe.
    public func retry(_ policy: RetryPolicy = .standard) -> Self { with(policy) }

    /// Limits the repetitions of all calls with this budget together; by default a client and its copies share one.
    public func retryBudget(_ budget: RetryBudget) -> Self { with(budget) }
}
