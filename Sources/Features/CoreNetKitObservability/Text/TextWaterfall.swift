import CoreNetKitChain
import CoreNetKitHTTP

/// Calls as a waterfall in plain text, for terminals and tickets.
///
/// Each phase of an exchange has its letter, so that colour is not needed: `q` queue, `d` name look-up, `c` connect, `t`
/// TLS, `s` send, `w` wait for the first byte, `r` receive, `.` open without a known phase; waits of policies are `~`.
public struct TextWaterfall: Sendable {
    /// The width of a line, at least 40 and at most 10 000.
    public var columns: Int
    /// Whether the letters are coloured as well.
    public var isColored: Bool

    /// Creates a view.
    public init(columns: Int = 80, isColored: Bool = false) {
        self.columns = max(columns, 40)
        self.isColored = isColored
    }

    /// A view as wide as `COLUMNS` says, and for a terminal coloured unless `NO_COLOR` or a dumb one forbids it.
    public static func terminal(environment: [String: String], isTerminal: Bool) -> TextWaterfall {
        let isAllowed = (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? 80
        return TextWaterfall(columns: min(columns, 400), isColored: isTerminal && isAllowed)
    }

    /// One call with its waits and exchanges.
    public func text(of record: CallRecord) -> String {
        let columns = min(max(columns, 40), 10_000)
        let timeline = CallTimeline(record)
        let rows = rows(of: timeline)
        let names = min(max(rows.map(\.name.count).max() ?? 0, 8), columns / 3)
        // name, space, bar, space, five digits and "ms"
        let width = columns - names - 10
        let span = max(timeline.end, .nanoseconds(1))
        var lines = [Self.clipped("\(timeline.title.oneLine)", to: columns)]
        lines.append(Self.clipped("  \(record.duration.shortMilliseconds) ms, \(record.outcome)", to: columns))
        for row in rows {
            let name = Self.clipped(row.name, to: names)
            let padding = String(repeating: " ", count: max(0, names - name.count))
            let time = row.time.shortMilliseconds
            let gap = String(repeating: " ", count: max(1, 6 - time.count))
            lines.append("\(name)\(padding) \(bar(row.parts, over: span, width: width))\(gap)\(time) ms")
        }
        for exchange in timeline.exchanges {
            guard let socket = exchange.result?.socket else { continue }
            lines.append(Self.clipped("  #\(exchange.number) \(socket)", to: columns))
        }
        return lines.joined(separator: "\n")
    }

    /// Several calls, one after another.
    public func text(of records: [CallRecord]) -> String {
        records.map { text(of: $0) }.joined(separator: "\n\n")
    }

    /// The meaning of the letters, on one line.
    public static let legend =
        "~ policy wait  q queue  d look-up  c connect  t TLS  s send  w wait  r receive  . open"

    private typealias Part = (letter: Character, start: Duration, end: Duration)
    private typealias Row = (name: String, start: Duration, time: Duration, parts: [Part])

    private func rows(of timeline: CallTimeline) -> [Row] {
        var rows = timeline.waits.map { wait -> Row in
            ("wait \(wait.wait.kind)", wait.start, wait.duration, [("~", wait.start, wait.end)])
        }
        for (time, outcome) in timeline.cache {
            rows.append(("cache \(outcome.kind)", time, .zero, [("*", time, time)]))
        }
        for exchange in timeline.exchanges {
            let parts = exchange.phases.map { (letter: $0.kind.row.letter, start: $0.start, end: $0.end) }
            let whole: Part = (".", exchange.start, exchange.end)
            rows.append((exchange.label, exchange.start, exchange.duration, [whole] + parts))
        }
        return rows.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    private func bar(_ parts: [Part], over span: Duration, width: Int) -> String {
        var cells = [Character](repeating: " ", count: width)
        for part in parts {
            let first = min(Int(part.start / span * Double(width)), width - 1)
            // At least one cell, so that every phase is visible.
            let last = max(first, min(Int((part.end / span * Double(width)).rounded()), width) - 1)
            for index in max(first, 0)...max(last, 0) { cells[index] = part.letter }
        }
        return isColored ? colored(cells) : String(cells)
    }

    private func colored(_ cells: [Character]) -> String {
        var result = ""
        var current: Int?
        for cell in cells {
            let color = Self.colors[cell]
            if color != current {
                result += color.map { "\u{1B}[\($0)m" } ?? "\u{1B}[0m"
                current = color
            }
            result.append(cell)
        }
        return current == nil ? result : result + "\u{1B}[0m"
    }

    private static let colors: [Character: Int] = [
        "~": 90, "q": 37, "d": 36, "c": 33, "t": 35, "s": 34, "w": 32, "r": 94, "*": 92, ".": 90,
    ]

    private static func clipped(_ text: String, to count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }
}

extension CallTimeline.Exchange {
    /// The outcome as a word: the status or the failure.
    var outcome: String {
        if let socket = result?.socket, let head { return "\(head.status) close \(socket.closeCode)" }
        if let code = result?.code { return "\(code)" }
        if result?.result == .cancelled { return head.map { "\($0.status) cut" } ?? "cancelled" }
        return head.map { "\($0.status)" } ?? (result == nil ? "no response yet" : "no response")
    }

    var label: String {
        request.cause == .first ? "#\(number) \(outcome)" : "#\(number) \(request.cause) \(outcome)"
    }
}

extension CallRecord {
    /// The call as a waterfall of 80 columns in plain letters.
    public var waterfall: String { TextWaterfall().text(of: self) }

    /// The call as the lines of a log.
    public var log: String { LogTree(self).description }
}
