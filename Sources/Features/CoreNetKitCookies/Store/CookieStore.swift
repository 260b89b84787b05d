import CoreNetKitEssentials

/// The cookies of one partition, by the storage model of RFC 6265bis: a value without clock and lock.
struct CookieStore: Sendable {
    private var domains: [String: [Cookie]] = [:]
    /// For each domain, itself and its subdomains that have cookies.
    private var families: [String: Set<String>] = [:]
    private(set) var count = 0
    /// Cookies removed since the last ``takeRemoved()``.
    private var removed: [CookieID] = []
    /// Makes creation dates unique, whatever the clock does.
    private var lastCreated = Date.distantPast
    private let limits: CookieLimits
    private let suffixes: PublicSuffixes

    init(limits: CookieLimits, suffixes: PublicSuffixes) { (self.limits, self.suffixes) = (limits, suffixes) }

    var all: [Cookie] {
        domains.values.joined().sorted { ($0.domain, $0.path, $0.name) < ($1.domain, $1.path, $1.name) }
    }

    /// Processes the value of one `Set-Cookie` field; returns the reason of its refusal, `nil` if it was accepted.
    mutating func take(_ line: String, from origin: CookieOrigin, at now: JarTime) -> CookieRefusal? {
        guard let field = SetCookie(parsing: line) else { return .malformed }
        var domain = field.domain
        guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { return .domain }
        if !domain.isEmpty, suffixes.contains(domain) {
            guard domain == origin.host else { return .publicSuffix }
            domain = ""
        }
        if !domain.isEmpty, !CookieDomain.matches(origin.host, domain: domain) { return .domain }
        let cookie = Cookie(
            name: field.name,
            value: field.value,
            domain: domain.isEmpty ? origin.host : domain,
            isHostOnly: domain.isEmpty,
            path: field.path ?? CookieOrigin.standardPath(for: origin.path),
            expires: field.end(from: now.date),
            isSecure: field.isSecure,
            isHTTPOnly: field.isHTTPOnly,
            sameSite: field.sameSite,
            created: max(now.date, lastCreated.addingTimeInterval(0.000_001))
        )
        if let refusal = refusal(of: cookie, hasPath: field.path != nil, from: origin) { return refusal }
        lastCreated = cookie.created
        insert(cookie, at: now)
        return nil
    }

    private func refusal(of cookie: Cookie, hasPath: Bool, from origin: CookieOrigin) -> CookieRefusal? {
        if cookie.isSecure, !origin.isSecure { return .insecure }
        if !cookie.isSecure, !origin.isSecure, isShadowing(cookie) { return .shadowsSecure }
        if cookie.sameSite == .none, !cookie.isSecure { return .sameSite }
        let name = (cookie.name.isEmpty ? cookie.value : cookie.name).lowercased()
        let isHost = name.hasPrefix("__host-")
        guard isHost || name.hasPrefix("__secure-") else { return nil }
        if cookie.name.isEmpty || !cookie.isSecure { return .prefix }
        return isHost && !(cookie.isHostOnly && hasPath && cookie.path == "/") ? .prefix : nil
    }

    private func isShadowing(_ cookie: Cookie) -> Bool {
        relatives(of: cookie.domain).contains { domain in
            domains[domain]?.contains {
                $0.isSecure && $0.name == cookie.name && CookieOrigin.isPath(cookie.path, in: $0.path)
            } ?? false
        }
    }

    /// The parent domains, the domain and its subdomains, as far as they may have cookies; others are unaffected.
    func relatives(of domain: String) -> Set<String> { (families[domain] ?? []).union(CookieDomain.above(domain)) }

    private mutating func put(_ cookies: [Cookie], of domain: String) {
        let isNew = domains[domain] == nil
        domains[domain] = cookies.isEmpty ? nil : cookies
        guard isNew != cookies.isEmpty else { return }
        for above in CookieDomain.above(domain) {
            if isNew {
                families[above, default: []].insert(domain)
            } else {
                families[above]?.remove(domain)
                if families[above]?.isEmpty == true { families[above] = nil }
            }
        }
    }

    /// Inserts a cookie, replacing the one with its key; an expired one removes it, one from the file keeps its dates.
    mutating func insert(_ cookie: Cookie, at now: JarTime, isFromFile: Bool = false) {
        var cookie = cookie
        if !isFromFile { cookie.revision = CookieRevision() }
        if cookie.receiptTime.moment == nil { cookie.receiptTime = CookieReceiptTime(now.moment) }
        var cookies = domains[cookie.domain] ?? []
        if let place = cookies.firstIndex(where: { $0.keyInDomain == cookie.keyInDomain }) {
            if !isFromFile { cookie.created = cookies[place].created }
            cookies.remove(at: place)
            count -= 1
        }
        if cookie.isExpired(at: now) {
            removed.append(cookie.id)
        } else {
            cookies.append(cookie)
            count += 1
        }
        put(cookies, of: cookie.domain)
        evict(from: cookie.domain, at: now)
    }

    /// The cookies of a request: those with the longest path first, then the oldest.
    mutating func cookies(for origin: CookieOrigin, at now: JarTime) -> [Cookie] {
        var found: [Cookie] = []
        for domain in CookieDomain.above(origin.host) {
            guard let cookies = domains[domain] else { continue }
            for place in cookies.indices {
                let cookie = cookies[place]
                guard !cookie.isHostOnly || domain == origin.host, origin.isSecure || !cookie.isSecure,
                    !cookie.isExpired(at: now), CookieOrigin.isPath(origin.path, in: cookie.path)
                else { continue }
                domains[domain]?[place].lastUsed = now.date
                found.append(cookie)
            }
        }
        return found.sorted {
            let (left, right) = ($0.path.utf8.count, $1.path.utf8.count)
            return left == right ? $0.created < $1.created : left > right
        }
    }

    mutating func takeRemoved() -> [CookieID] {
        defer { removed = [] }
        return removed
    }

    func cookie(with id: CookieID) -> Cookie? { domains[id.domain]?.first { $0.keyInDomain == id.keyInDomain } }

    mutating func mark(_ id: CookieID, as revision: CookieRevision) {
        guard let index = domains[id.domain]?.firstIndex(where: { $0.keyInDomain == id.keyInDomain }) else { return }
        domains[id.domain]?[index].revision = revision
    }

    mutating func removeAll(where isUnwanted: (Cookie) -> Bool) {
        for (domain, cookies) in domains {
            let kept = cookies.filter { !isUnwanted($0) }
            guard kept.count < cookies.count else { continue }
            removed += cookies.filter(isUnwanted).map(\.id)
            count -= cookies.count - kept.count
            put(kept, of: domain)
        }
    }
}

// MARK: - Limits

extension CookieStore {
    /// Evicts first expired cookies, then in a full domain insecure ones, then the least recently used.
    private mutating func evict(from domain: String, at now: JarTime) {
        if let cookies = domains[domain], cookies.count > limits.perDomain {
            removeAll { $0.domain == domain && $0.isExpired(at: now) }
            while let cookies = domains[domain], cookies.count > limits.perDomain {
                let open = cookies.filter { !$0.isSecure }
                guard remove(Self.oldest(open.isEmpty ? cookies : open)) else { break }
            }
        }
        guard count > limits.total else { return }
        removeAll { $0.isExpired(at: now) }
        while count > limits.total {
            guard remove(Self.oldest(domains.values.compactMap { Self.oldest($0) })) else { break }
        }
    }

    private static func oldest(_ cookies: [Cookie]) -> Cookie? {
        cookies.min { ($0.lastUsed, $0.created) < ($1.lastUsed, $1.created) }
    }

    private mutating func remove(_ cookie: Cookie?) -> Bool {
        guard let cookie, var cookies = domains[cookie.domain],
            let place = cookies.firstIndex(where: { $0.keyInDomain == cookie.keyInDomain })
        else { return false }
        removed.append(cookies.remove(at: place).id)
        put(cookies, of: cookie.domain)
        count -= 1
        return true
    }
}

/// The maximum number of cookies in a jar.
public struct CookieLimits: Sendable, Hashable {
    /// The maximum number of cookies per domain.
    public var perDomain: Int
    /// The maximum number of cookies per partition.
    public var total: Int
    /// The maximum number of partitions; the least recently used one is removed, also from the file.
    public var partitions: Int

    /// Creates limits; by default 50 per domain, 3 000 per partition and 1 000 partitions.
    public init(perDomain: Int = 50, total: Int = 3000, partitions: Int = 1000) {
        self.perDomain = max(1, perDomain)
        self.total = max(1, total)
        self.partitions = max(1, partitions)
    }
}

/// Why a `Set-Cookie` field or a cookie was refused.
public enum CookieRefusal: String, Error, Sendable, Hashable {
    /// It has control characters, is too long, or is empty.
    case malformed
    /// Cookies are for http and https.
    case scheme
    /// `Domain` is a public suffix.
    case publicSuffix
    /// `Domain` is neither the host nor one of its parent domains.
    case domain
    /// `Secure` over http.
    case insecure
    /// It would hide a secure cookie from a request over https.
    case shadowsSecure
    /// `SameSite=None` without `Secure`.
    case sameSite
    /// The name's prefix requires attributes that are missing.
    case prefix
}
