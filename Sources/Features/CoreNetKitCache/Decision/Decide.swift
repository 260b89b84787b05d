package import CoreNetKitHTTP

/// Decides what to do with a request, from what is stored of its resource and the time.
///
/// No input or output, no state.
///
/// - Parameters:
///   - question: The request.
///   - stored: What is stored under its key; `nil` for nothing.
///   - now: The time.
/// - Returns: The action, and the reason with the section that says so.
package func decide(_ question: CacheQuestion, stored: CacheRecord?, now: CacheTime) -> CacheDecision {
    let mode = question.mode
    if mode.kind == .off { return CacheDecision(.forward([:]), .off) }
    // RFC 9111, 4: a response to GET also serves HEAD; no other method is served from the cache.
    guard question.method == .get || question.method == .head else {
        return question.isLocal ? refusal : CacheDecision(.forward([:]), .method)
    }
    // RFC 9111, 4.3.2: the caller's conditions are the caller's; its 304 goes to it.
    if question.hasCondition && !question.isLocal { return CacheDecision(.forward([:]), .ownCondition) }
    guard let stored, !stored.variants.isEmpty else { return missed(question, .nothing) }
    // RFC 9111, 4.1: selected by the request's fields; of several the most recent.
    guard let index = select(stored.variants, question.headers, for: question.range) else {
        if let completion = completion(question, stored.variants) { return completion }
        guard stored.variants.contains(where: { !$0.isPart }) else { return missed(question, .incomplete) }
        // RFC 9111, 4.3.1: the tags of all variants may be named; the server picks one.
        let candidates = stored.variants.indices.filter {
            !stored.variants[$0].isPart && stored.variants[$0].facts.entityTag != nil
        }
        let mayAsk = mode.kind != .reload && question.method == .get && !question.hasRange
        guard mayAsk, !candidates.isEmpty, !question.isLocal else { return missed(question, .noVariant) }
        let tags = candidates.compactMap { stored.variants[$0].facts.entityTag }.joined(separator: ", ")
        return CacheDecision(.validate(candidates, wire(["If-None-Match": tags], question)), .noVariant)
    }
    return decide(question, stored, at: index, now: now)
}

private let refusal = CacheDecision(.refuse, .onlyIfCached)

private func missed(_ question: CacheQuestion, _ reason: CacheReason) -> CacheDecision {
    // RFC 9111, 5.2.1.7: a response of our own, 504.
    question.isLocal ? refusal : CacheDecision(.forward(wire([:], question)), reason)
}

/// The most recent variant that the request's fields select.
///
/// - Parameters:
///   - variants: What is stored.
///   - headers: The request's fields.
///   - range: What the request asks for of it; a part that has all of it counts, too (RFC 9111, 3.3).
/// - Returns: Its position, `nil` where none is selected.
package func select(_ variants: [CacheVariant], _ headers: Headers, for range: ByteRange? = nil) -> Int? {
    var best: Int?
    for index in variants.indices where Vary.matches(variants[index].selecting, headers) {
        if variants[index].isPart, !variants[index].hasPart(range) { continue }
        if let current = best, variants[current].facts.date > variants[index].facts.date { continue }
        best = index
    }
    return best
}

/// What the modes `.reload` and `.revalidate` tell the caches on the way; every other mode is a rule of this cache only.
private func wire(_ conditions: Headers, _ question: CacheQuestion) -> Headers {
    var fields = conditions
    guard !question.control.isPresent else { return fields }
    switch question.mode.kind {
    case .revalidate: fields.append("Cache-Control", "max-age=0")
    case .reload: fields.append("Cache-Control", "no-cache")
    case .standard, .only, .off: break
    }
    return fields
}

private func decide(
    _ question: CacheQuestion,
    _ stored: CacheRecord,
    at index: Int,
    now: CacheTime
) -> CacheDecision {
    let variant = stored.variants[index]
    let isMarked = stored.isMarked(variant)
    let lifetime = Freshness.lifetime(of: variant, question.mode)
    let age = Freshness.age(of: variant, at: now)
    var decision = CacheDecision(.forward(wire([:], question)), .stale, age: age, lifetime: lifetime)
    if let blocked = rangeObstacle(question, variant) {
        decision.reason = blocked
        if question.isLocal { decision.action = .refuse }
        return decision
    }
    guard let (reason, isStale) = obstacle(question, variant, isMarked, age: age, lifetime: lifetime) else {
        decision.action = .use(index)
        decision.reason = question.mode.kind == .revalidate ? .immutable : .fresh
        if question.hasRange { decision.reason = .slice }
        return decision
    }
    decision.reason = reason
    if isStale, let (permission, refresh) = permission(question, variant, staleness: (age ?? .max) - lifetime) {
        decision.action = .useStale(index, refresh: refresh)
        decision.reason = permission
        return decision
    }
    if question.isLocal { return CacheDecision(.refuse, .onlyIfCached, age: age, lifetime: lifetime) }
    if !isMarked, mayStandIn(question, variant, age: age, lifetime: lifetime) { decision.standIn = index }
    let conditions = conditions(question, variant)
    if !conditions.isEmpty { decision.action = .validate([index], wire(conditions, question)) }
    return decision
}

/// Why a variant cannot be used as it is; `true` beside it where only its age is against it.
private func obstacle(
    _ question: CacheQuestion,
    _ variant: CacheVariant,
    _ isMarked: Bool,
    age: Int64?,
    lifetime: Int64
) -> (CacheReason, isStale: Bool)? {
    let (request, response) = (question.control, variant.facts.control)
    if question.mode.kind == .reload { return (.reload, false) }
    // RFC 9111, 5.2.2.4
    if response.noCache { return (.responseNoCache, false) }
    // RFC 9111, 4.4
    if isMarked { return (.invalidated, false) }
    // RFC 9111, 5.2.1.4
    if request.noCache { return (.requestNoCache, false) }
    // RFC 9111, 5.4
    if question.hasPragma { return (.pragma, false) }
    // RFC 9111, 4.2.3: an age that is not known is no age of zero.
    guard let age else { return (.clock, false) }
    let isFresh = lifetime > age
    // RFC 8246, 2 and 3
    let isImmutable = isFresh && response.immutable && question.isSecure
    if question.mode.kind == .revalidate && !isImmutable { return (.revalidate, false) }
    // RFC 9111, 5.2.1.1: max-stale beside it accepts what is stale, not what is older.
    if let limit = request.maxAge, limit * 1000 < age || limit == 0 {
        return (.requestMaxAge, false)
    }
    // RFC 9111, 5.2.1.3
    if let rest = request.minFresh, isFresh, lifetime - age < rest * 1000 { return (.minFresh, false) }
    if isFresh { return nil }
    // RFC 9111, 5.2.2.2
    return response.mustRevalidate ? (.mustRevalidate, false) : (.stale, true)
}

/// What permits a stale response, and whether it is validated meanwhile (RFC 9111, 4.2.4).
private func permission(
    _ question: CacheQuestion,
    _ variant: CacheVariant,
    staleness: Int64
) -> (CacheReason, refresh: Bool)? {
    guard question.acceptsStale else { return nil }
    if question.mode.kind == .only { return (.disconnected, false) }
    if let limit = question.control.maxStale, limit == .max || staleness <= limit * 1000 { return (.maxStale, false) }
    // RFC 5861, 3: counted from the moment at which the response became stale.
    if let limit = variant.facts.control.staleWhileRevalidate, staleness < limit * 1000, !question.isLocal {
        return (.whileRevalidate, true)
    }
    return nil
}

/// Whether the variant may be given when the server fails (RFC 5861, 4): never against must-revalidate or no-cache.
private func mayStandIn(_ question: CacheQuestion, _ variant: CacheVariant, age: Int64?, lifetime: Int64) -> Bool {
    let control = variant.facts.control
    guard let age, !control.mustRevalidate, !control.noCache, !question.control.noCache,
        question.mode.kind == .standard, !StatusCodes.isError(variant.status)
    else { return false }
    let limits = [control.staleIfError, question.control.staleIfError].compactMap { $0.map { $0 * 1000 } }
    guard let limit = (limits + [question.mode.staleIfError].compactMap { $0 }).max() else { return false }
    return age - lifetime < limit
}

/// The fields that ask whether a variant is still what the server has (RFC 9111, 4.3.1); none without a validator.
private func conditions(_ question: CacheQuestion, _ variant: CacheVariant) -> Headers {
    guard question.mode.kind != .reload, question.method == .get, !question.hasRange else {
        return [:]
    }
    var conditions = Headers()
    if let tag = variant.facts.entityTag { conditions.append("If-None-Match", tag) }
    if let date = variant.facts.lastModifiedText, variant.facts.lastModified != nil {
        conditions.append("If-Modified-Since", date)
    }
    return conditions
}

/// Why a range cannot be cut out of a variant, `nil` where it can or none is asked for (RFC 9110, 14.2).
private func rangeObstacle(_ question: CacheQuestion, _ variant: CacheVariant) -> CacheReason? {
    guard question.hasRange, question.method == .get else { return nil }
    // Ranges count bytes of the representation with its coding, so decoded content cannot be cut.
    guard !variant.isDecoded, let range = question.range,
        variant.hasPart(range) || variant.status == 200 && range.positions(in: variant.content.length) != nil
    else { return .range }
    guard let condition = question.headers["If-Range"] else { return nil }
    return variant.satisfies(ifRange: condition) ? nil : .range
}

/// The most bytes that are asked for to make a part a whole: they are kept in memory until all of them are there.
private let completionLimit: Int64 = 4 << 20

/// Asks for what follows a stored part, where that and the part are what the request wants (RFC 9111, 3.3).
///
/// Only of a part with a strong tag: without one nothing may be combined with it (RFC 9111, 3.4).
private func completion(_ question: CacheQuestion, _ variants: [CacheVariant]) -> CacheDecision? {
    guard question.method == .get, !question.isLocal, question.mode.kind != .reload,
        !question.hasRange || question.range != nil
    else { return nil }
    for index in variants.indices.reversed() where Vary.matches(variants[index].selecting, question.headers) {
        let variant = variants[index]
        guard let part = variant.part, let tag = variant.facts.entityTag, EntityTag.isStrong(tag), !variant.isDecoded,
            question.headers["If-Range"].map({ $0 == tag }) ?? true
        else { continue }
        let wanted = question.range.map { $0.positions(in: part.total) } ?? 0..<part.total
        guard let wanted, part.positions.contains(wanted.lowerBound), part.positions.upperBound < wanted.upperBound,
            wanted.upperBound - part.positions.upperBound <= completionLimit
        else { continue }
        let last = wanted.upperBound == part.total ? "" : String(wanted.upperBound - 1)
        let fields: Headers = ["Range": "bytes=\(part.positions.upperBound)-\(last)", "If-Range": tag]
        return CacheDecision(.complete(index, wire(fields, question)), .incomplete)
    }
    return nil
}

extension CacheVariant {
    /// Whether it is a part that has all of a range.
    fileprivate func hasPart(_ range: ByteRange?) -> Bool {
        guard let part, let wanted = range?.positions(in: part.total) else { return false }
        return part.positions.lowerBound <= wanted.lowerBound && wanted.upperBound <= part.positions.upperBound
    }

    /// RFC 9110, 13.1.5: only a strong validator proves that the bytes are the same, and a date is one where it was old
    /// when it was sent (8.8.2.2).
    fileprivate func satisfies(ifRange condition: String) -> Bool {
        if EntityTag.matchesStrongly(condition, facts.entityTag ?? "") { return true }
        guard condition == facts.lastModifiedText, let modified = facts.lastModified else { return false }
        return facts.date - modified >= 60_000
    }
}
