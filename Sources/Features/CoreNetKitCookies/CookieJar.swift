public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitSystem

/// Stores the cookies of servers and returns them in requests, by the rules of RFC 6265bis.
///
/// Partitions separate the cookies of one user from the requests of another. Nothing of a jar is ever logged. Share one jar
/// between all chains that should use the same cookies.
public final class CookieJar: Sendable {
    struct State: Sendable {
        /// The file with which the jar was last synchronized, and its revision at that time.
        var link: (path: String, seen: UInt64)?
        /// Cookies that were removed since then, with the time.
        var removed: [String: [CookieID: WallMoment]] = [:]
        /// Partitions whose users have signed out since then.
        var ends: [String: WallMoment] = [:]
        var saver: CookieSaver?
        var stores: [String: CookieStore] = [:]
        /// Partitions whose names are meaningless in another process.
        var unstable: Set<String> = []
        var epochs = PartitionEpochs()
        /// Partitions that have cookies, the most recently used one last.
        var used = WaitQueue<String>()

        mutating func use(_ partition: String) {
            used.remove(partition)
            used.append(partition)
        }

        mutating func cookies(for origin: CookieOrigin?, _ partition: String, at now: JarTime) -> [Cookie] {
            guard let origin, let cookies = stores[partition]?.cookies(for: origin, at: now) else { return [] }
            use(partition)
            return cookies
        }

        mutating func put(_ store: CookieStore, of partition: String, limit: Int, at moment: WallMoment) {
            var store = store
            note(store.takeRemoved(), of: partition, at: moment)
            guard store.count > 0 else { return remove(partition) }
            stores[partition] = store
            use(partition)
            while used.count > limit, let oldest = used.popFirst() {
                note(stores[oldest]?.all.map(\.id) ?? [], of: oldest, at: moment)
                remove(oldest)
            }
        }

        private mutating func note(_ ids: [CookieID], of partition: String, at moment: WallMoment) {
            guard link != nil, !ids.isEmpty, !unstable.contains(partition) else { return }
            for id in ids { removed[partition, default: [:]][id] = moment }
        }

        mutating func end(_ partition: String, at moment: WallMoment) {
            let isStable = !unstable.contains(partition)
            remove(partition)
            removed[partition] = nil
            epochs.end(partition)
            guard isStable else { return }
            ends[partition] = moment
            if ends.count > CookieMerge.mostEnds, let oldest = ends.min(by: { $0.value.wall < $1.value.wall }) {
                ends[oldest.key] = nil
            }
        }

        mutating func remove(_ partition: String) {
            stores[partition] = nil
            unstable.remove(partition)
            used.remove(partition)
        }
    }

    /// The cookies of a request, and the data to detect a sign-out of its user in the meantime.
    typealias RequestCookies = (field: String?, epoch: UInt64)

    let state = Locked(State())
    let limits: CookieLimits
    let birth: WallMoment
    private let suffixes: PublicSuffixes
    /// The current time of the jar, from which new cookies get their date.
    let now: @Sendable () -> JarTime

    /// Creates an empty jar.
    ///
    /// Tests give the date; otherwise, by the machine's clocks, setting the wall clock does not change how long a cookie
    /// lasts.
    public convenience init(
        limits: CookieLimits = .init(),
        suffixes: PublicSuffixes = .system,
        now: (@Sendable () -> Date)? = nil
    ) {
        self.init(limits: limits, suffixes: suffixes) {
            // A custom clock gives only a date.
            now.map { WallMoment(wall: $0().milliseconds) } ?? .machine(at: Date())
        }
    }

    init(limits: CookieLimits, suffixes: PublicSuffixes, moment: @escaping @Sendable () -> WallMoment) {
        let start = moment()
        (self.limits, self.suffixes) = (limits, suffixes)
        birth = start
        now = {
            let moment = moment()
            let jarAge = moment.bootID == start.bootID ? moment.steady - start.steady : 0
            return JarTime(date: Date(milliseconds: moment.wall), moment: moment, jarAge: jarAge)
        }
    }

    /// Stores the cookies of the `Set-Cookie` fields, one per line, of a response from a URL, whatever its status.
    ///
    /// - Returns: For each field the reason of its refusal; `nil` if it was accepted.
    @discardableResult
    public func take(_ fields: [String], from url: URL, partition: String = "") -> [CookieRefusal?] {
        take(fields, from: url, partition, isStable: true)
    }

    /// Stores cookies, unless their user has signed out since an epoch.
    private func take(_ fields: [String], from url: URL, _ name: String, isStable: Bool, since epoch: UInt64? = nil)
        -> [CookieRefusal?]
    {
        guard !fields.isEmpty else { return [] }
        guard let origin = CookieOrigin(url) else { return fields.map { _ in .scheme } }
        let now = now()
        let (refusals, saver) = state.withLock { state -> ([CookieRefusal?], CookieSaver?) in
            if let epoch, state.epochs.epoch(of: name) != epoch { return ([], nil) }
            if !isStable { state.unstable.insert(name) }
            let refusals = change(&state, name, at: now.moment) { store in
                fields.map { store.take($0, from: origin, at: now) }
            }
            return (refusals, state.saver)
        }
        saver?.touch(self)
        return refusals
    }

    /// Returns the cookies of a request: those with the longest path first, then the oldest.
    public func cookies(for url: URL, partition: String = "") -> [Cookie] {
        let (now, origin) = (now(), CookieOrigin(url))
        return state.withLock { $0.cookies(for: origin, partition, at: now) }
    }

    /// Returns the value of the `Cookie` field of a request; `nil` if there are no cookies.
    ///
    /// Cookies with the same names as in a value that the request already has are left out.
    public func field(for url: URL, besides own: String? = nil, partition: String = "") -> String? {
        Self.field(of: cookies(for: url, partition: partition), besides: own)
    }

    private static func field(of cookies: [Cookie], besides own: String?) -> String? {
        let names = Set((own ?? "").split(separator: ";").map { $0.prefix { $0 != "=" }.filter { $0 != " " } })
        let pairs = cookies.filter { !names.contains($0.name) }.map {
            $0.name.isEmpty ? $0.value : "\($0.name)=\($0.value)"
        }
        let all = (own.map { [$0] } ?? []) + pairs
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    /// Returns the cookies for a request; pass the result to ``take(_:from:of:since:)`` with the response.
    func requestCookies(for url: URL, besides own: String?, of partition: Partition) -> RequestCookies {
        let (date, name, origin) = (now(), partition.name, CookieOrigin(url))
        let (cookies, epoch, saver) = state.withLock { state in
            (state.cookies(for: origin, name, at: date), state.epochs.epoch(of: name), state.saver)
        }
        // Another process may have signed the user out.
        saver?.touch(self)
        return (Self.field(of: cookies, besides: own), epoch)
    }

    /// Stores the cookies of a response, unless its user has signed out since the request.
    func take(_ fields: [String], from url: URL, of partition: Partition, since requested: RequestCookies)
        -> [CookieRefusal?]
    {
        take(fields, from: url, partition.name, isStable: partition.isStable, since: requested.epoch)
    }

    /// All cookies of a partition that have not expired, by domain, path and name.
    public func allCookies(partition: String = "") -> [Cookie] {
        let now = now()
        return (state.withLock { $0.stores[partition]?.all } ?? []).filter { !$0.isExpired(at: now) }
    }

    /// Adds a cookie to the jar without checking its sender.
    ///
    /// - Throws: ``CookieRefusal/malformed`` if one of its texts contains a `;` or a control character other than a tab, or
    ///   its name contains `=`: in a request it would be another cookie, or several.
    public func set(_ cookie: Cookie, partition: String = "") throws(CookieRefusal) {
        guard cookie.isWellFormed else { throw .malformed }
        let now = now()
        change(partition) { $0.insert(cookie, at: now) }
    }

    /// Removes cookies of a partition, by default all.
    public func remove(partition: String = "", where isUnwanted: (Cookie) -> Bool = { _ in true }) {
        change(partition) { $0.removeAll(where: isUnwanted) }
    }

    /// Removes the session cookies of every partition.
    public func removeSessionCookies() {
        for name in partitions { change(name) { $0.removeAll { $0.expires == nil } } }
    }

    /// The names of the partitions that have cookies.
    public var partitions: [String] { state.withLock { $0.stores.filter { $0.value.count > 0 }.keys.sorted() } }

    var newStore: CookieStore { CookieStore(limits: limits, suffixes: suffixes) }

    @discardableResult
    private func change<Result>(_ partition: String, _ body: (inout CookieStore) -> Result) -> Result {
        let moment = now().moment
        let (result, saver) = state.withLock { state in
            let result = change(&state, partition, at: moment, body)
            return (result, state.saver)
        }
        saver?.touch(self)
        return result
    }

    private func change<Result>(
        _ state: inout State,
        _ partition: String,
        at moment: WallMoment,
        _ body: (inout CookieStore) -> Result
    ) -> Result {
        var store = state.stores.removeValue(forKey: partition) ?? newStore
        let result = body(&store)
        state.put(store, of: partition, limit: limits.partitions, at: moment)
        return result
    }
}

extension CookieJar: SessionDataOwner {
    /// Cookies.
    public var kind: SignOut.Kind { .cookies }

    /// Removes the cookies of the session's user; responses to running requests do not restore them.
    ///
    /// - Throws: ``CookieFile/Failure`` if the jar's file could not be updated.
    public func removeData(of session: Partition.Session) async throws {
        let moment = now().moment
        let partition = session.partition
        state.withLock { state in
            let others = state.stores.keys.filter { $0 != partition.name && Partition.isName($0, of: partition) }
            for name in others + [partition.name] { state.end(name, at: moment) }
        }
        try await save()
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// The number of cookies, without their contents.
    public var description: String { "CookieJar of \(partitions.map { allCookies(partition: $0).count }.reduce(0, +))" }
    /// Hides the cookies from `dump`.
    public var customMirror: Mirror { Mirror(self, children: ["jar": description]) }
}
