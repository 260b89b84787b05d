import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The deprecated routes that a log has warned of, so that it says so once for each.
final class DeprecationNotices: Sendable {
    /// Further routes are not mentioned.
    static let limit = 256

    private let known = Locked<Set<String>>([])

    /// Warnings of the routes of a call that are deprecated (RFC 9745) or will end (RFC 8594), and were not mentioned yet.
    func lines(of record: CallRecord) -> [LogTree.Line] {
        record.events.compactMap { event in
            guard case .responseHead(let head) = event.kind,
                let text = Self.text(head.headers, at: record.startedAt),
                let route = Self.route(of: event.exchange, in: record),
                known.withLock({ $0.count < Self.limit && $0.insert(route).inserted })
            else { return nil }
            let message = "\(route) \(text)".oneLine
            return LogTree.Line(
                node: .transport,
                level: .warning,
                message: message,
                time: event.time,
                depth: event.depth
            )
        }
    }

    /// Method and template, or the URL without its query.
    private static func route(of exchange: Int, in record: CallRecord) -> String? {
        for event in record.events where event.exchange == exchange {
            guard case .exchangeStarted(let sent) = event.kind else { continue }
            // A redirect leads to another route.
            let template = sent.hop == 0 ? record.template : nil
            return "\(sent.method) \(template ?? String(sent.url.prefix { $0 != "?" && $0 != "#" }))"
        }
        return nil
    }

    /// What the fields say; `nil` if there are none that can be read.
    private static func text(_ headers: Headers, at now: Date) -> String? {
        let deprecated = headers["Deprecation"].flatMap { value -> String? in
            // Drafts of the RFC had this form, and HTTP dates.
            if value == "true" { return "is deprecated" }
            guard let date = date(value), let time = CivilTime(date) else { return nil }
            return "\(date > now ? "will be deprecated on" : "is deprecated since") \(time.iso8601)"
        }
        let sunset = headers["Sunset"].flatMap { HTTPDate.parse($0, now: now) }.flatMap { CivilTime($0) }
            .map { "is to end on \($0.iso8601)" }
        let said = [deprecated, sunset].compactMap(\.self)
        return said.isEmpty ? nil : said.joined(separator: " and ")
    }

    /// `@1688169599` (RFC 9651, 3.3.7), or an HTTP date.
    private static func date(_ value: String) -> Date? {
        var scanner = FieldScanner(value)
        guard scanner.take("@") else { return HTTPDate.parse(value) }
        let isNegative = scanner.take("-")
        return scanner.number().map { Date(timeIntervalSince1970: Double(isNegative ? -$0 : $0)) }
    }
}

extension LogTree {
    /// With further lines, each at its time.
    func adding(_ more: [Line]) -> LogTree {
        var lines = lines
        for line in more { lines.insert(line, at: lines.firstIndex { $0.time > line.time } ?? lines.endIndex) }
        return LogTree(call: call, outcome: outcome, duration: duration, lines: lines)
    }
}
