import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// What one response says about a quota: how many requests are left, and when it is restored.
struct QuotaReport: Sendable, Equatable {
    /// The server's name of the quota; empty without one.
    var name = ""
    /// Whether routes for which the server gives the same name share the quota.
    var isShared = false
    var limit: Int?
    var left: Int
    /// The time to the restoration is not shorter than this, counted from sending the request.
    var shortest: Duration
    /// The time to the restoration is not longer than this, counted from receiving the response.
    var longest: Duration
}

/// Reads the quotas in the fields of a response; what cannot be read is left out.
///
/// `RateLimit` is a list, and was a dictionary in draft 7 and three fields before; many servers send the three with a prefix.
/// - SeeAlso: [RateLimit header fields for HTTP](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/)
struct QuotaReader {
    /// A member of a list: `"name";q=100;w=60` or `100;w=60` of a policy, `"name";r=50;t=30` of a report.
    private struct Item {
        let name: String
        let parameters: [FieldParameter]

        init?(parsing member: String) {
            var scanner = FieldScanner(member)
            guard let name = scanner.next == UInt8(ascii: "\"") ? scanner.quoted(isStructured: true) : scanner.token(),
                let parameters = scanner.parameters(isList: true)
            else { return nil }
            (self.name, self.parameters) = (name, parameters)
        }

        subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }
    }

    private typealias Reset = (shortest: Duration, longest: Duration)

    let headers: Headers
    let date: () -> Date

    var reports: [QuotaReport] {
        let members = FieldScanner.members(of: headers[values: "RateLimit"]) ?? []
        let listed = members.compactMap(listed)
        if !listed.isEmpty { return listed }
        var values: [String: String] = [:]
        for member in members {
            var scanner = FieldScanner(member)
            if let key = scanner.token(), scanner.take("=") { values[key.lowercased()] = scanner.text(upTo: "; ") }
        }
        if let report = report({ values[$0.lowercased()] }) { return [report] }
        for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
            if let report = report({ headers[prefix + $0] }) { return [report] }
        }
        return []
    }

    private func listed(_ member: String) -> QuotaReport? {
        guard let item = Item(parsing: member), let left = number(item["r"]) else { return nil }
        let policy = policy { $0.name == item.name && $0["pk"] == item["pk"] }
        // Without a time it is restored within its period.
        guard let reset = reset(item["t"]) ?? period(policy).map({ (.zero, $0) }) else { return nil }
        var report = made(nil, left, reset, policy, item.name)
        if let partition = item["pk"] { (report.name, report.isShared) = (report.name + " " + partition, true) }
        return report
    }

    private func report(_ value: (String) -> String?) -> QuotaReport? {
        guard let left = number(value("Remaining")), let reset = reset(value("Reset-After") ?? value("Reset"))
        else { return nil }
        let limit = number(value("Limit")?.prefix { $0 != "," && $0 != ";" })
        let policy = policy { limit != nil && number($0["q"] ?? $0.name) == limit }
        let name = value("Bucket") ?? value("Resource")
        var report = made(limit, left, reset, policy, name)
        report.isShared = name != nil
        return report
    }

    private func made(_ limit: Int?, _ left: Int, _ reset: Reset, _ policy: Item?, _ name: String?) -> QuotaReport {
        let limit = limit ?? policy.flatMap { number($0["q"]) }
        let longest = min(reset.longest, period(policy) ?? .forever)
        return .init(name: name ?? "", limit: limit, left: left, shortest: reset.shortest, longest: longest)
    }

    private func policy(where isMeant: (Item) -> Bool) -> Item? {
        (FieldScanner.members(of: headers[values: "RateLimit-Policy"]) ?? []).lazy.compactMap(Item.init(parsing:))
            .first(where: isMeant)
    }

    private func period(_ policy: Item?) -> Duration? { number(policy?["w"]).flatMap { $0 > 0 ? .seconds($0) : nil } }

    /// When the quota is restored: in seconds, at a number of seconds or milliseconds since 1970, or at a date.
    ///
    /// Servers round in different directions, so that whole seconds are right to one second.
    private func reset(_ text: String?) -> Reset? {
        guard let text else { return nil }
        let number = Double(text)
        if let number, number < 1e9 {
            let wait = Duration.seconds(max(0, number))
            return text.contains(".") ? (wait, wait) : (wait - .seconds(1), wait + .seconds(1))
        }
        let named = number.map { Date(timeIntervalSince1970: $0 < 1e11 ? $0 : $0 / 1000) }
        guard number?.isFinite != false, let end = named ?? HTTPDate.parse(text, now: date()) else { return nil }
        // By the server's own clock if it says the time.
        let wait = end.duration(since: headers["Date"].flatMap { HTTPDate.parse($0, now: date()) } ?? date())
        return (wait - .seconds(2), wait + .seconds(1))
    }

    private func number(_ text: (some StringProtocol)?) -> Int? {
        guard let text, let number = Double(text), number.isFinite else { return nil }
        return Int(min(max(number, 0), 1e9))
    }
}
