package import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitHTTP
import CoreNetKitSystem

/// Returns a stored response instead of calling next, if the rules permit it.
///
/// A stored response passes the same status and redirect nodes as one from the network, and takes no concurrency slot,
/// rate-limit token or credential. When next fails, a stale response is used if that is permitted.
package struct CacheNode: PolicyNode {
    package static let position = ChainPosition.cache

    package let next: Exchange
    /// With the reason if the chain never uses the cache, so that a drawn chain shows it.
    package let id: NodeID
    private let cache: ResponseCache
    private let mode: CacheMode
    private let callers: CallIdentitySource
    private let refreshes: BackgroundRefreshes
    /// The status and redirect nodes over stored responses.
    private let lookupChain: Exchange
    /// Whether these nodes leave a stored 2xx unchanged.
    private let isPlain: Bool

    package init(next: Exchange, cache: ResponseCache, mode: CacheMode, parts: ChainParts) {
        self.next = next
        self.cache = cache
        self.mode = mode
        id =
            parts.policyOfUnknownScope(inside: .cache).map { NodeID(rawValue: "CacheNode (off: \($0) has no scope)") }
            ?? "CacheNode"
        callers = CallIdentitySource(parts, inside: .cache, except: { $0 is CachePolicy }, naming: cache.name)
        refreshes = parts.shared.object(BackgroundRefreshes.self) { BackgroundRefreshes() }
        lookupChain = parts.fold(LookupNode(engine: cache.engine)) { $0 == .status || $0 == .redirect }
        isPlain = Self.isPlain(lookupChain)
    }

    private static func isPlain(_ node: any Node) -> Bool {
        node is LookupNode || (node is any PolicyNode && node.successors.allSatisfy { isPlain($0) })
    }

    package func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        // Without the cache nothing is looked up, stored or invalidated, which costs nothing. Connections and content
        // that stays compressed are not stored.
        if input.delivery == .duplex || input.method.isSafe && (mode.kind == .off || input.staysCoded) {
            return try await next.process(input, context: context)
        }
        let call = CacheCall.current
        let scope = scope(of: input, context, call)
        let isOn = scope.mode.kind != .off
        let lookup = cache.engine.lookup(input, scope, acceptsStale: true)
        let known = isOn ? cache.engine.findNow(lookup) : nil
        if let known, isPlain, known.isFreshSuccess, let found = cache.engine.respondNow(known, to: input) {
            note(found.outcome, input, context, status: found.response.status)
            call?.withLock { $0.note(found.outcome, found.response) }
            return found.response.following(context.secrets)
        }
        // Waiting is in a function of its own, so that a hit does not pay for its frame.
        return try await process(input, context, call, scope, lookup, known)
    }

    /// Whose responses a call may use, by its identity; nothing is stored for an unknown caller.
    private func scope(of request: TransportRequest, _ context: RequestContext, _ call: Locked<CacheCall>?)
        -> CacheScope
    {
        let caller = callers.identity(of: request, in: context.partition, by: context.secrets)
        let isOn = caller.isShareable && CallUser.refreshers.isEmpty
        var scope = CacheScope(partition: caller.partition, isPersistent: caller.isStable, mode: isOn ? mode : .off)
        (scope.caller, scope.secretRules) = (caller.caller, context.secrets)
        if let mode = call?.value.mode, scope.mode.kind != .off { scope.mode = mode }
        return scope
    }

    private func process(
        _ input: TransportRequest,
        _ context: RequestContext,
        _ call: Locked<CacheCall>?,
        _ scope: CacheScope,
        _ lookup: CacheLookup,
        _ known: CacheFinding?
    ) async throws -> TransportResponse {
        var (context, lookup) = (context, lookup)
        context.cacheScope = scope
        guard scope.mode.kind != .off else { return try await next.process(input, context: context) }
        lookup.deadline = cache.engine.deadline(of: context)
        var finding: CacheFinding
        if let known {
            finding = known
            finding.deadline = lookup.deadline
        } else {
            let lookup = lookup
            finding = await context.waiting(for: .init(.store)) { await cache.engine.find(lookup) }
        }
        let response: TransportResponse
        if let found = try await stored(finding, input, context) {
            response = found
        } else if finding.decision.fallback != nil {
            response = try await withFallback(input, context)
        } else {
            response = try await next.process(input, context: context)
        }
        call?.withLock { $0.note(response.cache, response) }
        return response
    }

    /// The server's response or, if the server fails, a permitted stale one.
    private func withFallback(_ input: TransportRequest, _ context: RequestContext) async throws -> TransportResponse {
        let outcome: Result<TransportResponse, NetworkError>
        do {
            let response = try await next.process(input, context: context)
            // A server error is a plain response if no node makes it an error.
            guard StatusCodes.isError(response.status) else { return response }
            outcome = .success(response)
        } catch let failure as NetworkError where Self.isServers(failure) {
            outcome = .failure(failure)
        }
        var context = context
        context.cacheScope?.isFallback = true
        let response = try await lookUpHops(input, context)
        if response != nil { context.record(.warning, id, "the server failed, a stale response is used") }
        return try response ?? outcome.get()
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
        return try await lookUpHops(input, context)
    }

    /// The response that stored ones give through status and redirect nodes; `nil` if one of the hops is missing.
    private func lookUpHops(_ input: TransportRequest, _ context: RequestContext) async throws -> TransportResponse? {
        // This is no exchange.
        var detachedContext = context.unrecorded(until: context.deadline)
        detachedContext.credentialFields = context.credentialFields
        let hops = Locked<[(url: String, status: Int)]>([])
        detachedContext.attributes[LookupNode.self] = hops
        do {
            let response = try await lookupChain.process(input, context: detachedContext).following(context.secrets)
            if let outcome = response.cache {
                note(outcome, input, context, status: response.status, over: hops.withLock { $0 })
            }
            return response
        } catch is LookupMiss {
            return nil
        } catch {
            let error = NetworkError.wrapping(error, node: id) ?? error
            // A stored error response comes from the cache, too.
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
        cache.engine.counts.withLock { $0.note(outcome) }
        var event = CallEvent.CacheOutcome(outcome)
        event.status = status
        event.redirects = zip(hops, hops.dropFirst()).map { .init(status: $0.status, target: $1.url) }
        context.note(.cacheOutcome(event))
        if outcome.isRefreshing { refresh(input, context, isEarly: !outcome.isStale) }
    }

    /// Validates in the background, once per key, with a time limit of its own.
    private func refresh(_ input: TransportRequest, _ context: RequestContext, isEarly: Bool) {
        guard let scope = context.cacheScope else { return }
        var request = input
        request.delivery = .collect
        let key = cache.engine.key(of: input.url, in: scope)
        let limit = input.timeouts.total ?? .seconds(30)
        var refreshContext = context.unrecorded(until: context.clock.now + limit)
        // Otherwise the fresh response would be found, and the server would not be asked.
        if isEarly { refreshContext.cacheScope?.mode.kind = .revalidate }
        let (sentRequest, detachedContext) = (request, refreshContext)
        let isStarted = refreshes.start(key) { [next, vault = cache.engine.vault] in
            guard await vault.lease(key, for: limit) else { return }
            // After a failure the stored response stays; the next use validates again.
            _ = try? await next.process(sentRequest, context: detachedContext)
            await vault.endLease(key)
        }
        if isStarted { cache.engine.counts.withLock { $0.refreshes += 1 } }
    }

    private static func isServers(_ failure: NetworkError) -> Bool {
        if let refusal = failure.refusal { return StatusCodes.isError(refusal.status) }
        return failure.isRetryable || failure.code == .circuitOpen || failure.code == .deadlineExceeded
            || failure.phase.map { $0 != .queue } ?? false
    }
}

extension RequestContext {
    /// A context of its own, which writes nothing to the record of the call.
    fileprivate func unrecorded(until deadline: Duration?) -> RequestContext {
        var context = RequestContext(deadline: deadline, clock: clock, user: user, secrets: secrets) { _ in nil }
        context.attributes = attributes
        return context
    }
}

extension TransportRequest {
    /// Whether compressed content must not be decoded.
    fileprivate var staysCoded: Bool { coding == .identity && headers["Accept-Encoding"]?.lowercased() != "identity" }
}

/// Nothing usable is stored for a hop of a walk through stored responses: the network is asked.
struct LookupMiss: Error {}

/// The end of a path that only reads stored responses; the nodes before it are the same as before the wire.
struct LookupNode: Node, Attributes.Key {
    /// The hops of such a path.
    typealias Value = Locked<[(url: String, status: Int)]>

    let engine: CacheEngine

    var successors: [any Node] { [] }

    func process(_ input: TransportRequest, context: RequestContext) async throws -> TransportResponse {
        guard var scope = context.cacheScope else { throw LookupMiss() }
        scope.deadline = engine.deadline(of: context)
        let finding = await engine.find(input, scope, acceptsStale: true)
        if case .refuse = finding.decision.action {
            var response = engine.refusal(of: input)
            response.cache = CacheOutcome(.refused, finding.decision.reason)
            return response
        }
        let isFallback = scope.isFallback && finding.usedVariant == nil
        guard let found = try await engine.respond(finding, to: input, isFallback: isFallback) else {
            throw LookupMiss()
        }
        context.attributes[LookupNode.self]?.withLock { $0.append((input.url.absoluteString, found.response.status)) }
        return found.response
    }
}
