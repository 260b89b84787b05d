import CoreNetKitChain
import CoreNetKitEssentials
public import CoreNetKitHTTP
package import CoreNetKitRecovery
import CoreNetKitSystem

/// Several servers behind one origin: a client sends each request for the logical origin to one of its members.
///
/// Routes, tokens, cache keys and logs of calls know only the logical origin. A member that fails three times in a row gets
/// no requests for a while, and one request finds out whether it works again. A request moves on to another member at once if
/// its server was not reached or asks to wait, within the retry budget; any other failure is up to ``RetryPolicy``, whose
/// next attempt takes another member.
///
/// ```swift
/// let api = Endpoints("https://api.example.com", ["https://a.example.com", "https://b.example.com"])
/// let client = Client().retry(.standard).endpoints(api)
/// ```
/// Create one for each service and share it among clients that have the same clock: it knows the health of the members. It has
/// no timer and sends nothing by itself.
public final class Endpoints: Sendable {
    /// The origin that requests name.
    public let origin: Origin
    /// The problem of the settings, on one line; with one, every call fails with `invalidChain`.
    package let settingsProblem: String?

    let table: Locked<MemberTable>
    let strategy: Strategy
    private let named: [MemberTarget]
    private let isTrusted: Bool
    private let feed = StateFeed<[MemberState]>([])
    private let reader = Locked<Task<Void, Never>?>(nil)
    private let hints = Locked<(@Sendable (String) -> any BreakerHints)?>(nil)

    /// Creates a logical origin with members that are known.
    ///
    /// - Parameters:
    ///   - origin: The URL that requests name, such as `https://api.example.com`: scheme, host and port.
    ///   - members: Its servers, at most 64. Credentials for the logical origin are sent to them.
    ///   - strategy: How one is chosen for a request.
    public convenience init(_ origin: String, _ members: [Member], choosing strategy: Strategy = .ordered()) {
        self.init(origin, members, strategy, isTrusted: false, hasSource: false)
    }

    /// Creates a logical origin whose members are discovered while the program runs.
    ///
    /// Each list replaces the one before; a member that is in both keeps its health. A member that would lower `https` to
    /// `http` without ``Member/allowsHTTP``, is no origin, or is the 65th, is ignored. As long as there is no member at all,
    /// requests go to the logical origin.
    /// - Parameters:
    ///   - origin: The URL that requests name, such as `https://api.example.com`: scheme, host and port.
    ///   - members: Servers that are always among the members.
    ///   - source: Lists of further servers, from a file, a registry or DNS; read until this object is released.
    ///   - trusting: Whether credentials for the logical origin are also sent to discovered servers. Otherwise header fields
    ///     with credentials are removed; the URL and the content are sent as they are.
    ///   - strategy: How one is chosen for a request.
    public convenience init(
        _ origin: String,
        _ members: [Member] = [],
        from source: AsyncStream<[Member]>,
        trusting: Bool = false,
        choosing strategy: Strategy = .leastLoaded
    ) {
        self.init(origin, members, strategy, isTrusted: trusting, hasSource: true)
        let task = Task { [weak self] in
            for await list in source { self?.discover(list) }
        }
        reader.withLock { $0 = task }
    }

    private init(_ origin: String, _ members: [Member], _ strategy: Strategy, isTrusted: Bool, hasSource: Bool) {
        let found = Origin(text: origin)
        let logical = found ?? Origin(URL(filePath: "/"))
        self.origin = logical
        (self.strategy, self.isTrusted) = (strategy, isTrusted)
        named = members.compactMap { $0.target(of: logical, isTrusted: true, isDiscovered: false) }
        settingsProblem = Self.problem(origin, found, members, hasSource: hasSource)
        table = Locked(MemberTable(named, strategy, seed: .random(in: .min ... .max)))
        table.withLock { feed.set($0.states) }
    }

    deinit { reader.withLock { $0?.cancel() } }

    private static func problem(_ text: String, _ origin: Origin?, _ members: [Member], hasSource: Bool) -> String? {
        guard let origin, Member(text).isBare else {
            return "the logical origin '\(Redaction.text(of: text))' is not scheme, host and port of a server"
        }
        if members.isEmpty, !hasSource { return "\(origin) has no members" }
        if members.count > MemberTable.limit {
            return "\(origin) has \(members.count) members, more than \(MemberTable.limit)"
        }
        var known: Set<Origin> = []
        for member in members {
            if let mistake = member.mistake(below: origin) {
                return "the member '\(Redaction.text(of: member.url))' of \(origin) \(mistake)"
            }
            if let other = Origin(text: member.url), !known.insert(other).inserted {
                return "the member \(other) of \(origin) is named twice"
            }
        }
        return nil
    }

    private func discover(_ list: [Member]) {
        let found = list.filter { $0.mistake(below: origin) == nil }
            .compactMap { $0.target(of: origin, isTrusted: isTrusted, isDiscovered: true) }
        table.withLock { table in
            table.replace(with: named + found)
            feed.set(table.states)
        }
    }

    /// The members, with health and load at this moment.
    public var state: [MemberState] { table.withLock(\.states) }

    /// How many members are `in_use`, `ejected` and `resting`: `metrics.gauge("corenetkit.client.endpoints", "…") { api.gauges }`.
    public var gauges: [[String: String]: Int] {
        let server = ["server.address": origin.host, "server.port": String(origin.port)]
        let found = state.map { $0.ejectedUntil != nil ? "ejected" : $0.restingUntil != nil ? "resting" : "in_use" }
        return ["in_use", "ejected", "resting"].reduce(into: [:]) { gauges, health in
            gauges[server.merging(["state": health]) { $1 }] = found.count { $0 == health }
        }
    }

    /// The members at once, and then whenever the health of one or the list has changed.
    ///
    /// Streams are independent; a slow reader gets only the latest state.
    public var updates: AsyncStream<[MemberState]> { feed.values }

    func end(
        _ choice: MemberTable.Choice,
        _ report: MemberTable.Report,
        on clock: CallClock,
        at moment: () -> MemberTable.Moment
    ) -> MemberTable.Change? {
        let change = table.withLock { table in
            let change = table.end(choice, report, at: moment)
            // Under the lock, so that readers are not left with the older of two states.
            if let change, change != .failed { feed.set(table.states) }
            return change
        }
        guard let change, let hints = hints.value?(choice.target.names.member) else { return change }
        switch change {
        case .ejected(let pause): hints.opened(by: .calls, for: pause)
        case .failed: hints.failed(at: clock.now) { [weak self] _ in self?.follow(hints, choice, at: clock.now) }
        case .returned: break
        }
        return change
    }

    /// Ejects a member that has failed here, because it is ejected in another process.
    private func follow(_ hints: any BreakerHints, _ choice: MemberTable.Choice, at now: Duration) {
        let change = table.withLock { table in
            let change = table.followHint(choice, at: now)
            if change != nil { feed.set(table.states) }
            return change
        }
        if case .ejected(let pause) = change { hints.opened(by: .hint, for: pause) }
    }

    /// Shares ejections with other processes, as open circuits: what is shared about a member.
    package func follow(_ hints: @escaping @Sendable (String) -> any BreakerHints) {
        self.hints.withLock { $0 = hints }
    }

    /// The response with the logical origin where a redirect or a link names a member.
    func renamed(_ response: TransportResponse) -> TransportResponse {
        let mayMove = 300...399 ~= response.status || response.status == 201
        guard mayMove || response.headers.contains("Link") else { return response }
        var response = response
        let (base, members) = (origin.description, table.withLock { $0.entries.map(\.target.origin) })
        func logical(_ text: String) -> String? {
            members.lazy.compactMap { $0.replaced(in: text, by: base) }.first
        }
        for index in response.headers.fields.indices {
            let field = response.headers.fields[index]
            if mayMove, Headers.matches(field.name, "Location") {
                response.headers.fields[index].value = logical(field.value) ?? field.value
            } else if Headers.matches(field.name, "Link") {
                response.headers.fields[index].value = FieldScanner.replacingTargets(of: field.value, by: logical)
            }
        }
        return response
    }
}
