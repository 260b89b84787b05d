import CoreNetKitChain
import CoreNetKitHTTP

/// One exchange at the wire: validates stored responses, stores new ones, and invalidates what the request has changed.
struct CacheExchange: Sendable {
    let engine: CacheEngine
    /// The request as it would be sent.
    let request: TransportRequest
    let scope: CacheScope
    /// The record and generations when it began.
    var finding: CacheFinding
    let transport: @Sendable (TransportRequest) async throws -> TransportResponse

    var vault: CacheVault { engine.vault.within(scope.deadline) }

    func continuing(after finding: CacheFinding) -> CacheExchange {
        var exchange = self
        exchange.finding = finding
        return exchange
    }

    /// Sends a request, and removes stored responses at once if the response requests it.
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let response: TransportResponse
        do { response = try await transport(request) } catch {
            // The head counts even if the content failed.
            let failure = (error as? NetworkError)?.cause as? TransportError ?? error as? TransportError
            if let head = failure?.response {
                await clear(by: head)
                await invalidate(by: head)
            }
            throw error
        }
        await clear(by: response)
        return response
    }

    private func clear(by response: TransportResponse) async {
        guard Invalidation.clearsCache(response.headers, from: request.url) else { return }
        await engine.clear(originOf: request.url, in: scope)
    }

    /// Executes the decision; the response is never a 304 to a condition of the cache.
    func run() async throws -> CachedResponse {
        var reason = finding.decision.reason
        switch finding.decision.action {
        case .use, .useStale:
            if let stored = try await engine.respond(finding, to: request) { return stored }
            let exactKey = engine.key(of: request.url, in: scope)
            guard finding.key == exactKey else {
                // The response found belongs to an equivalent URL (No-Vary-Search).
                return try await continuing(after: engine.findExact(request, scope)).run()
            }
            reason = .vanished
        case .refuse:
            return (engine.refusal(of: request), CacheOutcome(.refused, reason))
        case .validate(let candidates, let conditions):
            // Opened before the validation: a response that is removed meanwhile can still be used.
            let opened = await open(candidates)
            if !opened.isEmpty { return try await validate(opened, conditions) }
            reason = .vanished
        case .complete(let index, let fields):
            return try await complete(index, fields)
        case .forward(let fields):
            var sent = request
            sent.headers.merge(fields)
            return try await fetch(sent, reason)
        }
        return try await fetch(request, reason)
    }

    private func open(_ candidates: [Int]) async -> [Int: any CacheContent] {
        var opened: [Int: any CacheContent] = [:]
        for index in candidates {
            if let variant = finding.variant(index) {
                opened[index] = await vault.content(of: variant, for: finding.key)
            }
        }
        return opened
    }

    func fetch(_ sent: TransportRequest, _ reason: CacheReason.Code) async throws -> CachedResponse {
        let requestTime = engine.now()
        return await received(try await send(sent), requestTime: requestTime, reason, wasValidation: false)
    }

    /// RFC 9111, 4.3.3: processes the server's response to a conditional request.
    private func validate(_ opened: [Int: any CacheContent], _ conditions: Headers) async throws -> CachedResponse {
        var conditional = request
        conditional.headers.merge(conditions)
        let requestTime = engine.now()
        let response = try await send(conditional)
        let reason = finding.decision.reason
        guard response.status == 304 else {
            return await received(response, requestTime: requestTime, reason, wasValidation: true)
        }
        let variants = finding.record?.variants ?? []
        let confirmed = Revalidation.confirmed(by: response.headers, candidates: opened.keys.sorted(), in: variants)
        guard let index = confirmed.last, let content = opened[index] else {
            // It confirms a response that is not stored: request without a condition.
            return try await fetch(request, reason)
        }
        let revalidation = revalidation(by: response, requestTime: requestTime, responseTime: engine.now())
        let generations = finding.record?.generations
        let isStored = await confirm(confirmed.map { variants[$0] }, revalidation, generations)
        let renewed = revalidation.applied(to: variants[index], generations: generations)
        let age = renewed.age(at: revalidation.responseTime) ?? 0
        guard let result = try await engine.response(renewed, content, to: request, age: age, within: scope.deadline)
        else { return try await fetch(request, .vanished) }
        let lifetime = renewed.lifetime(in: scope.mode)
        var outcome = CacheOutcome(.validated, reason, age: age, lifetime: lifetime)
        outcome.forwardStatus = 304
        outcome.tier = finding.record?.tier(of: variants[index])
        outcome.isStored = isStored
        return (result, outcome)
    }

    func revalidation(by response: TransportResponse, requestTime: CacheTime, responseTime: CacheTime) -> Revalidation {
        Revalidation(
            request: request.headers,
            response: response.headers,
            requestTime: requestTime,
            responseTime: responseTime
        )
    }

    /// Renews the confirmed responses, or removes those not to be kept; without generations an invalidation stays.
    func confirm(_ variants: [CacheVariant], _ revalidation: Revalidation, _ generations: CacheGenerations?) async
        -> Bool
    {
        guard revalidation.mayBeKept else {
            for variant in variants { await vault.remove(variant, finding.key) }
            return false
        }
        // RFC 9111, 5.2.1.5: neither content nor fields of a response to such a request are stored.
        guard !CacheControl(request.headers).noStore else { return false }
        var isStored = true
        for variant in variants {
            if await !renew(revalidation.applied(to: variant, generations: generations)) { isStored = false }
        }
        return isStored
    }

    func renew(_ variant: CacheVariant) async -> Bool {
        guard let record = finding.record else { return false }
        let renewed = await grouped(variant, since: record.generations)
        let keepFor = renewed.keepTime(in: scope.mode)
        return await vault.renew(renewed, finding.key, beside: record, keepFor: keepFor) == .written
    }

    /// The variant with the generations of its groups, if no group was invalidated since the exchange began.
    func grouped(_ variant: CacheVariant, since generations: CacheGenerations) async -> CacheVariant {
        guard !variant.facts.groups.isEmpty else { return variant }
        var variant = variant
        let slots = variant.facts.groups.map { finding.key.slot(ofGroup: $0) }
        let now = await vault.groups(slots, finding.key, since: generations.anyGroup)
        // A number that no generation has, so that it is validated.
        variant.groupGenerations = now ?? .random(in: .min ... .max)
        return variant
    }
}
