package import CoreNetKitHTTP

/// Decides what to do with a request, from the stored responses of its resource, if they are known, and the time.
package func decide(_ facts: CacheRequestFacts, stored: CacheRecord?, now: CacheTime) -> CacheDecision {
    let mode = facts.mode
    if mode.kind == .off { return CacheDecision(.forward([:]), .off) }
    // RFC 9111, 4: a response to GET also serves HEAD; no other method is served from the cache.
    guard facts.method == .get || facts.method == .head else {
        return facts.isLocal ? refusal : CacheDecision(.forward([:]), .method)
    }
    // RFC 9111, 4.3.2: the caller evaluates its own conditions and gets the 304.
    if facts.hasCondition && !facts.isLocal { return CacheDecision(.forward([:]), .ownCondition) }
    guard let stored, !stored.variants.isEmpty else { return missed(facts, .nothing) }
    // RFC 9111, 4.1: selected by the request's fields; the most recent of several.
    guard let index = select(stored.variants, facts.headers, for: facts.range) else {
        if let completion = completion(facts, stored.variants) { return completion }
        guard stored.variants.contains(where: { !$0.isPartial }) else { return missed(facts, .incomplete) }
        // RFC 9111, 4.3.1: the tags of all variants may be named; the server picks one.
        let candidates = stored.variants.indices.filter {
            !stored.variants[$0].isPartial && stored.variants[$0].facts.entityTag != nil
        }
        let mayAsk = mode.kind != .reload && facts.method == .get && !facts.hasRange
        guard mayAsk, !candidates.isEmpty, !facts.isLocal else { return missed(facts, .noVariant) }
        let tags = candidates.compactMap { stored.variants[$0].facts.entityTag }.joined(separator: ", ")
        return CacheDecision(.validate(candidates, requestFields(["If-None-Match": tags], facts)), .noVariant)
    }
    return decide(facts, stored, at: index, now: now)
}

private let refusal = CacheDecision(.refuse, .onlyIfCached)

private func missed(_ facts: CacheRequestFacts, _ reason: CacheReason.Code) -> CacheDecision {
    // RFC 9111, 5.2.1.7: a generated response, 504.
    facts.isLocal ? refusal : CacheDecision(.forward(requestFields([:], facts)), reason)
}

/// The index of the most recent variant that the request's fields select, or part with the requested range (RFC 9111, 3.3).
package func select(_ variants: [CacheVariant], _ headers: Headers, for range: ByteRange? = nil) -> Int? {
    var best: Int?
    for index in variants.indices where Vary.matches(variants[index].selectingFields, headers) {
        if variants[index].isPartial, !variants[index].hasPart(range) { continue }
        if let current = best, variants[current].facts.date > variants[index].facts.date { continue }
        best = index
    }
    return best
}

/// The fields by which `.reload` and `.revalidate` instruct caches on the way; other modes concern only this cache.
private func requestFields(_ conditions: Headers, _ facts: CacheRequestFacts) -> Headers {
    var fields = conditions
    guard !facts.control.isPresent else { return fields }
    switch facts.mode.kind {
    case .revalidate: fields.append("Cache-Control", "max-age=0")
    case .reload: fields.append("Cache-Control", "no-cache")
    case .standard, .only, .off: break
    }
    return fields
}

private func decide(_ facts: CacheRequestFacts, _ stored: CacheRecord, at index: Int, now: CacheTime) -> CacheDecision {
    let variant = stored.variants[index]
    let isInvalidated = stored.isInvalidated(variant)
    let lifetime = variant.lifetime(in: facts.mode)
    let age = variant.age(at: now)
    var decision = CacheDecision(.forward(requestFields([:], facts)), .stale, age: age, lifetime: lifetime)
    if let blocked = rangeObstacle(facts, variant) {
        decision.reason = blocked
        if facts.isLocal { decision.action = .refuse }
        return decision
    }
    guard let (reason, isStale) = obstacle(facts, variant, isInvalidated, age: age, lifetime: lifetime) else {
        decision.action = .use(index)
        decision.reason = facts.mode.kind == .revalidate ? .immutable : .fresh
        if facts.hasRange { decision.reason = .slice }
        return decision
    }
    decision.reason = reason
    if isStale, let (permission, refresh) = permission(facts, variant, staleness: (age ?? .max) - lifetime) {
        decision.action = .useStale(index, refresh: refresh)
        decision.reason = permission
        return decision
    }
    if facts.isLocal { return CacheDecision(.refuse, .onlyIfCached, age: age, lifetime: lifetime) }
    if !isInvalidated, mayFallBack(facts, variant, age: age, lifetime: lifetime) { decision.fallback = index }
    let conditions = conditions(facts, variant)
    if !conditions.isEmpty { decision.action = .validate([index], requestFields(conditions, facts)) }
    return decision
}

/// Why a variant cannot be used as it is; the flag is `true` if the only obstacle is its age.
private func obstacle(
    _ facts: CacheRequestFacts,
    _ variant: CacheVariant,
    _ isInvalidated: Bool,
    age: Int64?,
    lifetime: Int64
) -> (CacheReason.Code, isStale: Bool)? {
    let (request, response) = (facts.control, variant.facts.control)
    if facts.mode.kind == .reload { return (.reload, false) }
    // RFC 9111, 5.2.2.4
    if response.noCache { return (.responseNoCache, false) }
    // RFC 9111, 4.4
    if isInvalidated { return (.invalidated, false) }
    // RFC 9111, 5.2.1.4
    if request.noCache { return (.requestNoCache, false) }
    // RFC 9111, 5.4
    if facts.hasPragma { return (.pragma, false) }
    // RFC 9111, 4.2.3: an unknown age is not zero.
    guard let age else { return (.clock, false) }
    let isFresh = lifetime > age
    // RFC 8246, 2 and 3
    let isImmutable = isFresh && response.immutable && facts.isSecure
    if facts.mode.kind == .revalidate && !isImmutable { return (.revalidate, false) }
    // RFC 9111, 5.2.1.1: max-stale beside max-age permits stale responses, not older ones than max-age.
    if let limit = request.maxAge, limit * 1000 < age || limit == 0 { return (.requestMaxAge, false) }
    // RFC 9111, 5.2.1.3
    if let rest = request.minFresh, isFresh, lifetime - age < rest * 1000 { return (.minFresh, false) }
    if isFresh { return nil }
    // RFC 9111, 5.2.2.2
    return response.mustRevalidate ? (.mustRevalidate, false) : (.stale, true)
}

/// What permits a stale response, and whether it is validated in the background (RFC 9111, 4.2.4).
private func permission(
    _ facts: CacheRequestFacts,
    _ variant: CacheVariant,
    staleness: Int64
) -> (CacheReason.Code, refresh: Bool)? {
    guard facts.acceptsStale else { return nil }
    if facts.mode.kind == .only { return (.disconnected, false) }
    if let limit = facts.control.maxStale, limit == .max || staleness <= limit * 1000 { return (.maxStale, false) }
    // RFC 5861, 3: counted from the moment when the response became stale.
    if let limit = variant.facts.control.staleWhileRevalidate, staleness < limit * 1000, !facts.isLocal {
        return (.whileRevalidate, true)
    }
    return nil
}

/// Whether the variant may be used when the server fails (RFC 5861, 4): never against must-revalidate or no-cache.
private func mayFallBack(_ facts: CacheRequestFacts, _ variant: CacheVariant, age: Int64?, lifetime: Int64) -> Bool {
    let control = variant.facts.control
    guard let age, !control.mustRevalidate, !control.noCache, !facts.control.noCache,
        facts.mode.kind == .standard, !StatusCodes.isError(variant.status)
    else { return false }
    let limits = [control.staleIfError, facts.control.staleIfError].compactMap { $0.map { $0 * 1000 } }
    guard let limit = (limits + [facts.mode.staleIfError].compactMap { $0 }).max() else { return false }
    return age - lifetime < limit
}

/// The conditional fields that validate a variant (RFC 9111, 4.3.1); none without a validator.
private func conditions(_ facts: CacheRequestFacts, _ variant: CacheVariant) -> Headers {
    guard facts.mode.kind != .reload, facts.method == .get, !facts.hasRange else { return [:] }
    var conditions = Headers()
    if let tag = variant.facts.entityTag { conditions.append("If-None-Match", tag) }
    if let date = variant.facts.lastModifiedText, variant.facts.lastModified != nil {
        conditions.append("If-Modified-Since", date)
    }
    return conditions
}

/// Why a range cannot be cut out of a variant; `nil` if it can, or none is requested (RFC 9110, 14.2).
private func rangeObstacle(_ facts: CacheRequestFacts, _ variant: CacheVariant) -> CacheReason.Code? {
    guard facts.hasRange, facts.method == .get else { return nil }
    // Ranges count bytes of the encoded representation, so decoded content cannot be cut.
    guard !variant.isDecoded, let range = facts.range,
        variant.hasPart(range) || variant.status == 200 && range.positions(in: variant.content.length) != nil
    else { return .range }
    guard let condition = facts.headers["If-Range"] else { return nil }
    return variant.satisfies(ifRange: condition) ? nil : .range
}

/// The maximum number of bytes requested to complete a part: they are held in memory until all of them have arrived.
private let completionLimit: Int64 = 4 << 20

/// Requests the bytes after a stored part with a strong tag if both together satisfy the request (RFC 9111, 3.3, 3.4).
private func completion(_ facts: CacheRequestFacts, _ variants: [CacheVariant]) -> CacheDecision? {
    guard facts.method == .get, !facts.isLocal, facts.mode.kind != .reload,
        !facts.hasRange || facts.range != nil
    else { return nil }
    for index in variants.indices.reversed() where Vary.matches(variants[index].selectingFields, facts.headers) {
        let variant = variants[index]
        guard let part = variant.partialRange, let total = part.total, let tag = variant.facts.entityTag,
            EntityTag.isStrong(tag), !variant.isDecoded,
            facts.headers["If-Range"].map({ $0 == tag }) ?? true
        else { continue }
        let wanted = facts.range.map { $0.positions(in: total) } ?? 0..<total
        guard let wanted, part.positions.contains(wanted.lowerBound), part.positions.upperBound < wanted.upperBound,
            wanted.upperBound - part.positions.upperBound <= completionLimit
        else { continue }
        let last = wanted.upperBound == total ? "" : String(wanted.upperBound - 1)
        let fields: Headers = ["Range": "bytes=\(part.positions.upperBound)-\(last)", "If-Range": tag]
        return CacheDecision(.complete(index, requestFields(fields, facts)), .incomplete)
    }
    return nil
}

extension CacheVariant {
    /// Whether it is a part that contains a range.
    fileprivate func hasPart(_ range: ByteRange?) -> Bool {
        guard let part = partialRange, let total = part.total, let wanted = range?.positions(in: total) else {
            return false
        }
        return part.positions.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.positions.upperBound
    }

    /// RFC 9110, 13.1.5: only a strong validator proves that the bytes are the same; an old date is strong (8.8.2.2).
    fileprivate func satisfies(ifRange condition: String) -> Bool {
        if EntityTag.matchesStrongly(condition, facts.entityTag ?? "") { return true }
        guard condition == facts.lastModifiedText, let modified = facts.lastModified else { return false }
        return facts.date - modified >= 60_000
    }
}
