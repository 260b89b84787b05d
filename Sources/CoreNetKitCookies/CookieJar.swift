import CoreNetKitSystem

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Keeps the cookies of servers and hands them back, by the rules of RFC 6265bis.
///
/// Partitions keep the cookies of one user from the requests of another. Nothing of a jar is ever logged. One jar is shared
/// by all chains that should know each other's cookies.
public final class CookieJar: Sendable {
    private struct State: Sendable {
        var stores: [String: CookieStore] = [:]
    }

    private let state = Locked(State())
    private let limits: CookieLimits
    private let suffixes: PublicSuffixes
    private let now: @Sendable () -> Date

    /// Creates an empty jar.
    ///
    /// - Parameters:
    ///   - limits: How many cookies are kept in each partition.
    ///   - suffixes: The domains for which no cookie may be set.
    ///   - now: The date.
    public init(
        limits: CookieLimits = .init(),
        suffixes: PublicSuffixes = .system,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.limits, self.suffixes, self.now) = (limits, suffixes, now)
    }

    /// Takes the `Set-Cookie` fields of a response, whatever its status.
    ///
    /// - Parameters:
    ///   - fields: The values of the fields, one for each line.
    ///   - url: The URL that answered.
    ///   - partition: Whose cookies they are.
    /// - Returns: For each field why it was refused, `nil` where it was taken.
    @discardableResult
    public func take(_ fields: [String], from url: URL, partition: String = "") -> [CookieRefusal?] {
        guard !fields.isEmpty else { return [] }
        guard let origin = CookieOrigin(url) else { return fields.map { _ in .scheme } }
        let date = now()
        return change(partition) { store in fields.map { store.take($0, from: origin, at: date) } }
    }

    /// Gives the cookies of a request: those with the longest path first, then the oldest.
    ///
    /// - Parameters:
    ///   - url: Where the request goes.
    ///   - partition: Whose cookies they are.
    /// - Returns: The cookies.
    public func cookies(for url: URL, partition: String = "") -> [Cookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        let date = now()
        return state.withLock { $0.stores[partition]?.cookies(for: origin, at: date) } ?? []
    }

    /// Gives the value of the `Cookie` field of a request.
    ///
    /// - Parameters:
    ///   - url: Where the request goes.
    ///   - own: The value that the request has already; a cookie of a name in it is left out.
    ///   - partition: Whose cookies they are.
    /// - Returns: The value, `nil` when there are no cookies.
    public func field(for url: URL, besides own: String? = nil, partition: String = "") -> String? {
        let names = Set((own ?? "").split(separator: ";").map { $0.prefix { $0 != "=" }.filter { $0 != " " } })
        let cookies = cookies(for: url, partition: partition).filter { !names.contains($0.name) }
        let pairs = cookies.map { $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)" }
        let all = (own.map { [$0] } ?? []) + pairs
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// Every cookie of a partition that has not ended, by domain, path and name.
    public func allCookies(partition: String = "") -> [Cookie] {
        let date = now()
        return (state.withLock { $0.stores[partition]?.all } ?? []).filter { !$0.isExpired(at: date) }
    }

    /// Puts a cookie into the jar without asking who sent it.
    public func set(_ cookie: Cookie, partition: String = "") {
        let date = now()
        change(partition) { $0.insert(cookie, at: date) }
    }

    /// Removes cookies.
    ///
    /// - Parameters:
    ///   - partition: Whose cookies.
    ///   - isUnwanted: Picks them; all by default.
    public func remove(partition: String = "", where isUnwanted: (Cookie) -> Bool = { _ in true }) {
        change(partition) { $0.removeAll(where: isUnwanted) }
    }

    /// Removes the cookies that end with the session, of every partition.
    public func endSession() {
        state.withLock { state in
            for name in state.stores.keys { state.stores[name]?.removeAll { $0.expires == nil } }
        }
    }

    /// The names of the partitions that have cookies.
    public var partitions: [String] {
        state.withLock { $0.stores.filter { $0.value.count > 0 }.keys.sorted() }
    }

    @discardableResult
    private func change<Result>(_ partition: String, _ body: (inout CookieStore) -> Result) -> Result {
        state.withLock { state in
            var store =
                state.stores.removeValue(forKey: partition) ?? CookieStore(limits: limits, suffixes: suffixes)
            let result = body(&store)
            state.stores[partition] = store.count > 0 ? store : nil
            return result
        }
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are, and nothing of them.
    public var description: String { "CookieJar of \(partitions.map { allCookies(partition: $0).count }.reduce(0, +))" }
    /// Nothing that `dump` could show.
    public var customMirror: Mirror { Mirror(self, children: ["jar": description]) }
}
