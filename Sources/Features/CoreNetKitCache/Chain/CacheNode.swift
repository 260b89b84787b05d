package import CoreNetKitChain
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Returns a stored response instead of calling next, if that is allowed.
///
/// in and to next: `TransportRequest`, out: `TransportResponse`. A stored response passes the same status and redirect nodes
/// as one of the wire, and needs no place, rate or token. When next fails, a stale response is used if that is
/// permitted.
package struct CacheNode: PolicyNode {
    package static let position = ChainPosition.cache

    package let next: Exchange
    private let cache: ResponseCache
    private let mode: CacheMode
    private let scope: CacheScopeSource
    private let shared: CacheShared
    /// Status and redirects over what is stored.
    private let walk: Exchange
    /// Whether a stored 2xx leaves the walk as it enters it.
    private let isPlain: Bool

    package init(next: Exchange, cache: ResponseCache, mode: CacheMode, parts: ChainParts) {
        self.next = next
        self.cache = cache
        self.mode = mode
        scope = CacheScopeSource(parts, cache: cache, mode: mode)
        shared = parts.shared.object(CacheShared.self) { CacheShared() }
        walk = parts.fold(LookupNode(engine: cache.engine)) { $0 == .status || $0 == .redirect }
        isPlain = Self.isPlain(walk)
    }

    private static func isPlain(_ node: any Node) -> Bool {
        node is LookupNode || (node is any PolicyNode && node.successors.allSatisfy { isPlain($0) })
    }

    /// Looks the request up; passes it on where nothing usable is stored.
    ///
    /// - Parameters:
    ///   - input: The request.
    ///   - context: The data of this call.
    /// - Returns: The response, stored or not.
    /// - Throws: ``NetworkError`` as the wire's response would give it, or an error of the next node.
    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        // Nothing is looked up or stored, and nothing changes: what is switched off costs nothing.
        // A connection is no content, and content that is to stay coded is not what is stored.
        if input.delivery == .duplex || input.method.isSafe && (mode.kind == .off || input.staysCoded) {
            return try await next.process(input, context: context)
        }
        let call = CacheCall.current
        var scope = scope.scope(for: input, of: context.partition, by: context.secrets)
        if let mode = call?.mode, scope.mode.kind != .off { scope.mode = mode }
        let isOn = scope.mode.kind != .off
        let inquiry = cache.engine.inquiry(input, scope, acceptsStale: true)
        let known = isOn ? cache.engine.findNow(inquiry) : nil
        if let known, isPlain, known.isFreshSuccess, let found = cache.engine.respondNow(known, to: input) {
            note(found.outcome, input, context, status: found.response.status)
            call?.note(found.outcome, found.response)
            return found.response.following(context.secrets)
        }
        // What waits is a function of its own, so that a hit does not pay for its frame.
        return try await process(input, context, call, scope, inquiry, known)
    }

    private func process(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ call: CacheCall?,
        _ scope: CacheScope,
        _ inquiry: CacheInquiry,
        _ known: CacheFinding?
    ) async throws -> TransportResponse {
        var (context, inquiry) = (context, inquiry)
        context.cacheScope = scope
        guard scope.mode.kind != .off else { return try await next.process(input, context: context) }
        inquiry.deadline = cache.engine.deadline(of: context)
        var finding: CacheFinding
        if let known {
            finding = known
            finding.deadline = inquiry.deadline
        } else {
            let inquiry = inquiry
            finding = await context.waiting(for: .init(.store)) { await cache.engine.find(inquiry) }
        }
        if let response = try await stored(finding, input, context) {
            call?.note(response.cache, response)
            return response
        }
        guard finding.decision.standIn != nil else {
            let response = try await next.process(input, context: context)
            call?.note(response.cache, response)
            return response
        }
        return try await guarded(input, context, call)
    }

    /// The server's response, or, where the server fails, the stale one that may stand in for it.
    private func guarded(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ call: CacheCall?
    ) async throws -> TransportResponse {
        let outcome: Result<TransportResponse, NetworkError>
        do {
            let response = try await next.process(input, context: context)
            // An error of the server is a response where no node makes it an error.
            guard StatusCodes.isError(response.status) else {
                call?.note(response.cache, response)
                return response
            }
            outcome = .success(response)
        } catch let failure as NetworkError where Self.isServers(failure) {
            outcome = .failure(failure)
        }
        var context = context
        context.cachePurpose = .standIn
        let response = try await walked(input, context)
        if response != nil { context.record(.warning, id, "the server failed, a stale response is used") }
        let result = try response ?? outcome.get()
        call?.note(result.cache, result)
        return result
    }

    private func stored(
        _ finding: CacheFinding,
        _ input: TransportRequest,
        _ context: RequestContext
    ) async throws -> TransportResponse? {
        switch finding.decision.action {
        case .validate, .complete, .forward: return nil
        case .refuse: break
        case .use, .useStale:
            guard isPlain, finding.isSuccess else { break }
            do {
                guard let found = try await cache.engine.respond(finding, to: input) else { return nil }
                note(found.outcome, input, context, status: found.response.status)
                return found.response.following(context.secrets)
            } catch {
                throw NetworkError.wrapping(error, node: id) ?? error
            }
        }
        return try await walked(input, context)
    }

    /// The response that the stored ones give through status and redirects; `nil` where one of the hops is missing.
    private func walked(_ input: TransportRequest, _ context: RequestContext) async throws -> TransportResponse? {
        // A context of its own: the walk is no exchange, and writes nothing into the record.
        var silent = RequestContext(
            deadline: context.deadline,
            clock: context.clock,
            user: context.user,
            secrets: context.secrets
        ) { _ in nil }
        silent.attributes = context.attributes
        silent.credentialFields = context.credentialFields
        let hops = Locked<[(url: String, status: Int)]>([])
        silent.attributes[HopsKey.self] = hops
        do {
            let response = try await walk.process(input, context: silent).following(context.secrets)
            if let outcome = response.cache {
                note(outcome, input, context, status: response.status, over: hops.withLock { $0 })
            }
            return response
        } catch is LookupMiss {
            return nil
        } catch {
            let error = NetworkError.wrapping(error, node: id) ?? error
            // A stored failure comes from the cache, too.
            if let response = (error as? NetworkError)?.response, let outcome = response.attributes[OutcomeKey.self] {
                note(outcome, input, context, status: response.status)
            }
            throw error
        }
    }

    private func note(
        _ outcome: CacheOutcome,
        _ input: TransportRequest,
        _ context: RequestContext,
        status: Int,
        over hops: [(url: String, status: Int)] = []
    ) {
        cache.note(outcome)
        var event = CallEvent.CacheOutcome(outcome)
        event.status = status
        event.redirects = zip(hops, hops.dropFirst()).map { .init(status: $0.status, target: $1.url) }
        context.note(.cacheOutcome(event))
        if outcome.isRefreshing { refresh(input, context, isEarly: !outcome.isStale) }
    }

    /// Validates in the background: one for a key, with a time limit of its own.
    private func refresh(_ input: TransportRequest, _ context: RequestContext, isEarly: Bool) {
        guard let scope = context.cacheScope else { return }
        var request = input
        request.delivery = .collect
        let key = cache.engine.key(of: input.url, in: scope)
        let limit = input.timeouts.total ?? .seconds(30)
        var own = RequestContext(
            deadline: context.clock.now + limit,
            clock: context.clock,
            user: context.user,
            secrets: context.secrets
        ) { _ in nil }
        own.attributes = context.attributes
        // What is fresh would be found, and nobody would be asked.
        if isEarly { own.cacheScope?.mode.kind = .revalidate }
        let (asked, silent) = (request, own)
        let isStarted = shared.refreshes.start(key) { [next, vault = cache.engine.vault] in
            guard await vault.lease(key, for: limit) else { return }
            // A failure leaves what is stored; the next use asks again.
            _ = try? await next.process(asked, context: silent)
            await vault.endLease(key)
        }
        if isStarted { cache.noteRefresh() }
    }

    /// Failures of the way to the server, and those that it reports itself (RFC 5861, 4).
    private static func isServers(_ failure: NetworkError) -> Bool {
        if let refusal = failure.refusal { return StatusCodes.isError(refusal.status) }
        return failure.isRetryable || failure.code == .circuitOpen || failure.code == .deadlineExceeded
            || failure.phase.map { $0 != .queue } ?? false
    }
}

extension TransportRequest {
    /// Whether its content is not to be decoded, even if it is compressed.
    fileprivate var staysCoded: Bool { coding == .identity && headers["Accept-Encoding"]?.lowercased() != "identity" }
}

/// What the calls of a client and its copies have in common: validations behind their backs.
package final class CacheShared: ChainParts.Stoppable {
    let refreshes = CacheRefreshes()

    /// Ends them, and starts none any more.
    package func shutDown() async {
        refreshes.end()
        await refreshes.idle()
    }
}
