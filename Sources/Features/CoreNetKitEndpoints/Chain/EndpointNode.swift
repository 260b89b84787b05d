import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitRecovery
import CoreNetKitSystem
import Synchronization

/// Chooses a member for each request of the logical origin, and another one if the first was not reached.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. The request keeps its URL: ``MemberNode`` changes it at the
/// wire. Requests of other origins pass.
struct EndpointNode: PolicyNode {
    static let position = ChainPosition.endpoint

    let next: Exchange
    private let endpoints: Endpoints
    private let logical: String
    private let budget: RetryBudget
    private let date: @Sendable () -> Date
    private let network: StateFeed<NetworkState>?

    init(next: Exchange, endpoints: Endpoints, parts: ChainParts) {
        (self.next, self.endpoints, logical) = (next, endpoints, endpoints.origin.description)
        (budget, date) = (parts.retryBudget, parts.date)
        network = parts.policy(NetworkReturn.self)?.feed
    }

    /// Passes the request on with its member; throws the last failure if no other member may get it.
    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        let isOurs = endpoints.origin.end(in: input.urlText, usual: logical) != nil
        guard isOurs else { return try await next.process(input, context: context) }
        if !context.isCounted { budget.deposit(at: context.clock.now) }
        let memory = context.attributes[TriedMembers.self]
        var tried = memory?.bits(among: endpoints) ?? 0
        var left: String?
        while true {
            guard let choice = endpoints.table.withLock({ $0.choose(except: tried, at: { moment(context) }) }) else {
                return try await next.process(input, context: context)
            }
            tried |= choice.bit
            memory?.add(choice.bit)
            var inner = left == nil ? context : context.nested
            inner.attributes[MemberTarget.self] = choice.target
            note(choice, after: left, inner)
            let start = endpoints.strategy.measures ? context.clock.nanoseconds : nil
            do {
                let response = try await next.process(input, context: inner)
                report(.success(latency: start.map { context.clock.nanoseconds - $0 }), about: choice, inner)
                return response
            } catch {
                let rest = rest(after: error)
                report(result(of: error, rest), about: choice, inner)
                guard movesOn(input, after: error, rest, except: tried, context) else { throw error }
                left = choice.target.names.member + (rest == nil ? " did not take the request" : " asks to wait")
            }
        }
    }

    private func moment(_ context: RequestContext) -> MemberTable.Moment {
        .init(now: context.clock.now, returns: network?.value.returns ?? 0)
    }

    private func note(_ choice: MemberTable.Choice, after left: String?, _ context: RequestContext) {
        func event() -> CallEvent.Kind {
            .endpointDecided(.init(choice.isProbe ? .probed : .chosen, choice.target.names.member, reason: left))
        }
        // Counters need only what is not part of each call.
        if choice.isProbe || left != nil { context.note(event()) } else { context.noteDetail(event()) }
    }

    private func report(_ report: MemberTable.Report, about choice: MemberTable.Choice, _ context: RequestContext) {
        switch endpoints.end(choice, report, on: context.clock, at: { moment(context) }) {
        case .ejected(let pause):
            let reason = "it gets no requests for \(pause.wholeSeconds) s"
            context.note(.endpointDecided(.init(.ejected, choice.target.names.member, reason: reason)))
        case .returned: context.note(.endpointDecided(.init(.returned, choice.target.names.member)))
        case .failed, nil: break
        }
    }

    /// How long the member asks to be left alone.
    private func rest(after error: any Error) -> Duration? {
        let refusal = (error as? NetworkError)?.refusal
        return refusal.flatMap {
            TransientStatus.isTransient($0.status) ? RetryAfter.wait(of: $0.headers, now: date) : nil
        }
    }

    private func result(of error: any Error, _ rest: Duration?) -> MemberTable.Report {
        guard let failure = error as? NetworkError else { return .neither }
        let isFailure = CircuitBreaker.isServerFailure(failure)
        if let rest { return .rest(rest, isFailure: isFailure) }
        if isFailure { return .failure }
        // Any other response shows that the member works.
        return failure.response == nil ? .neither : .success(latency: nil)
    }

    /// Whether the request goes to another member at once: nothing else is gained by a wait if the member was not reached, or
    /// asks to be left alone.
    private func movesOn(
        _ request: TransportRequest,
        after error: any Error,
        _ rest: Duration?,
        except tried: UInt64,
        _ context: RequestContext
    ) -> Bool {
        guard let failure = error as? NetworkError, failure.isRetryable, failure.code != .deadlineExceeded,
            failure.isSafeToResend || rest != nil,
            Resending.isAllowed(request, after: failure.isSafeToResend ? .unprocessed : .possiblyProcessed)
        else { return false }
        let now = context.clock.now
        return context.deadline.map { now < $0 } ?? true && !Task.isCancelled
            && endpoints.table.withLock { $0.hasMembers(except: tried) } && budget.withdraw(at: now, for: now)
    }
}

/// The members that the attempts and hedged requests of one call have tried.
final class TriedMembers: Attributes.Key, Sendable {
    typealias Value = TriedMembers

    private let word = Atomic<UInt64>(0)

    /// The members not to take again; none if all have been tried, so that the next attempts begin anew.
    func bits(among endpoints: Endpoints) -> UInt64 {
        let bits = word.load(ordering: .relaxed)
        guard bits != 0, !endpoints.table.withLock({ $0.hasMembers(except: bits) }) else { return bits }
        word.store(0, ordering: .relaxed)
        return 0
    }

    func add(_ bit: UInt64) { word.bitwiseOr(bit, ordering: .relaxed) }
}
