import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension LogTree {
    /// The number of deprecated routes that a log warns of, once of each; further ones are not mentioned.
    private static let noticeLimit = 256

    /// With warnings of routes of the call that are deprecated (RFC 9745) or will end (RFC 8594), and are not known yet.
    func addingNotices(of record: CallRecord, besides known: Locked<Set<String>>) -> LogTree {
        var lines = lines
        for event in record.events {
            guard case .responseHead(let head) = event.kind,
                let text = Self.text(head.headers, at: record.startedAt),
                let route = Self.route(of: event.exchange, in: record),
                known.withLock({ $0.count < Self.noticeLimit && $0.insert(route).inserted })
            else { continue }
            let message = "\(route) \(text)".oneLine
            let time = event.time
            let line = Line(node: .transport, level: .warning, message: message, time: time, depth: event.depth)
            lines.insert(line, at: lines.firstIndex { $0.time > time } ?? lines.endIndex)
        }
        return LogTree(call: call, outcome: outcome, duration: duration, lines: lines)
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
