public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension Outbox {
    /// Delivers until the task is cancelled, with the client's transport and policies, fresh fields and tokens.
    ///
    /// The client is usually the one that has the outbox. Its policies outside `ChainPosition.outbox` are not used; entries
    /// that must not be sent twice skip its retry and its hedging.
    ///
    /// - Throws: ``OutboxError`` with code `alreadyRunning`.
    public func run(with client: some PolicyHolder) async throws {
        try await deliver(until: nil, stopsWhenDone: false, for: ClientDelivery(client.configuration))
    }

    /// Delivers until every entry left needs a decision, or until a date: for background tasks and timers.
    ///
    /// If another process has the folder, this waits until the date for its release; without a date it does not wait.
    ///
    /// - Returns: The state afterwards.
    /// - Throws: ``OutboxError`` with code `alreadyRunning`, `deliveredElsewhere` when another process has the folder or
    ///   this one has suspended the outbox, `notReady` when the folder cannot be read.
    @discardableResult
    public func drain(until date: Date? = nil, with client: some PolicyHolder) async throws -> State {
        let now = engine.time.date
        let end = date.map { engine.time.monotonic() + $0.duration(since: now) }
        try await deliver(until: end, stopsWhenDone: true, for: ClientDelivery(client.configuration))
        return await state
    }

    private func deliver(until end: Duration?, stopsWhenDone: Bool, for client: ClientDelivery) async throws {
        try await deliver(until: end, stopsWhenDone: stopsWhenDone, for: client) { try await client.send($0) }
    }
}

/// The part of a client's chain that is inside the outbox, made once for all deliveries.
struct ClientDelivery: Sendable {
    let session: @Sendable () -> Partition.Session
    /// The client's observer of the network, and how often the network had returned at first; `nil` if it has none.
    private let network: (observer: NetworkReturn, returns: Int)?
    private let random: Jitter
    private let repeatable: Chain<DeliveryAttempt, TransportResponse>
    /// Without the client's retry and hedging.
    private let once: Chain<DeliveryAttempt, TransportResponse>

    init(_ configuration: ChainConfiguration) {
        var configuration = configuration
        let session = configuration.parts.session
        configuration.set(OwnerCheck(session: session))
        configuration.options.errorModel = nil
        let (parts, options) = (configuration.parts, configuration.options)
        func chain(where keep: (ChainPosition) -> Bool) -> Chain<DeliveryAttempt, TransportResponse> {
            // The key belongs to the entry: it was generated once, or not at all if the server honours none.
            let next = parts.exchange { $0 > .outbox && $0 != .idempotencyKey && keep($0) }
            let head = AnyNode<DeliveryAttempt, TransportResponse>(next.id, successors: [next]) { attempt, context in
                var context = context
                context.attributes[OwnerCheck.Key.self] = (attempt, session())
                return try await next.process(attempt.request, context: context)
            }
            return Chain(head: head, options: options)
        }
        repeatable = chain { _ in true }
        once = chain { $0 != .retry && $0 != .hedge }
        network = parts.policy(NetworkReturn.self).map { ($0, $0.feed.value.returns) }
        random = parts.random
        self.session = session
    }

    func send(_ attempt: DeliveryAttempt) async throws -> TransportResponse {
        try await (attempt.isRepeatable ? repeatable : once).run(attempt)
    }

    /// Ends the engine's waits for unreachable servers when the network is back, until the task is cancelled.
    func endHostWaits(of engine: OutboxEngine) async {
        guard let (observer, returns) = network else { return }
        var last = returns
        for await state in observer.feed.values where state.returns != last {
            last = state.returns
            let end = engine.time.monotonic() + NetworkReturn.window * random.next()
            guard (try? await engine.time.sleep(end)) != nil else { return }
            await engine.networkReturned()
        }
    }
}

/// Inside the token policy: refuses to send an entry if another user has signed in since the entry's turn began.
private struct OwnerCheck: ChainPolicy {
    enum Key: Attributes.Key { typealias Value = (attempt: DeliveryAttempt, start: Partition.Session) }

    let session: @Sendable () -> Partition.Session

    var positions: [ChainPosition] { [.inside(of: .token, "outbox owner")] }
    var scope: PolicyScope { .none }

    func node(at position: ChainPosition, before next: Exchange, with parts: ChainParts) -> Exchange {
        AnyNode<TransportRequest, TransportResponse>("OutboxOwnerNode", successors: [next]) { request, context in
            guard context.attributes[Key.self].map(isOwners) ?? false else {
                throw NetworkError(.userChanged, "the token now belongs to another login", node: "OutboxOwnerNode")
            }
            return try await next.process(request, context: context)
        }
    }

    private func isOwners(_ delivery: Key.Value) -> Bool {
        guard let owner = delivery.attempt.entry.owner else { return true }
        // If the tokens' user has no name, only the app can say that they are the owner's.
        let wasOwners = delivery.start.partition.ownerName.map { $0 == owner } ?? delivery.attempt.isOwnerNamed
        return wasOwners && session() == delivery.start
    }
}

extension DeliveryOutcome {
    /// The outcome of an attempt that ended with an error of a chain, and the response if its head arrived.
    static func of(_ error: NetworkError, now: Date) -> (DeliveryOutcome, TransportResponse?) {
        // A response that accepted the request decides, whatever a later repetition returned.
        for failure in [error] + error.history.reversed() where failure.refusal == nil {
            if let response = failure.answer { return (DeliveryOutcome(response, now: now), response) }
        }
        if let response = error.answer { return (DeliveryOutcome(response, now: now), response) }
        let last = lastAttempt(error)
        guard case .noConnection = last else { return (last, nil) }
        // The last attempt was harmless; an earlier one may have been executed.
        let isUnknown = error.history.contains { earlier in
            guard let status = earlier.refusal?.status else { return !earlier.isSafeToResend }
            return status >= 500 && TransientStatus(rawValue: status)?.saysNothingWasDone != true
        }
        return (isUnknown ? .unknown("\(error.code) after an attempt without a response") : last, nil)
    }

    private static func lastAttempt(_ error: NetworkError) -> DeliveryOutcome {
        let text = "\(error.code)"
        switch error.code {
        // A new session ends the pause.
        case .userChanged: return .unauthorized(text)
        case .circuitOpen, .rateLimited, .shutDown: return .heldBack(retryAfter: error.retryAfter)
        case .tokenRefreshFailed:
            let cause = error.cause as? NetworkError
            let isNetwork = cause.map { $0.isRetryable || $0.isSafeToResend } ?? false
            return isNetwork ? .noConnection(text) : .unauthorized(text)
        case .deadlineExceeded:
            let isUnsent = error.isSafeToResend || error.phase?.isBeforeSending ?? false
            return isUnsent ? .heldBack(retryAfter: nil) : .unknown(text)
        case .invalidURL, .invalidRequest, .unsupported, .unsupportedValue, .encodingFailed, .invalidChain,
            .tooManyRedirects, .redirectRefused:
            return .invalid(text)
        default: break
        }
        if let cause = error.cause as? TransportError { return DeliveryOutcome(cause) }
        return error.isSafeToResend ? .noConnection(text) : .unknown(text)
    }
}

extension NetworkError {
    /// The server's response although the call failed: a refusal, or a success whose content failed.
    fileprivate var answer: TransportResponse? {
        let failure = cause as? TransportError
        guard let response, refusal != nil || failure != nil else { return nil }
        var answer = TransportResponse(
            status: response.status,
            headers: response.headers,
            body: .bytes(response.body),
            url: response.url
        )
        answer.contentFailure = failure
        return answer
    }
}
