import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Calls as JSON for the script of the page: each text occurs once, and is referred to by its number.
///
/// `base` is the first start in microseconds of the client's clock; all other times are microseconds since that, or
/// since the start of their call. Empty members are omitted.
///
/// - A call: `m` method, `u` URL, `t` template, `b` start, `d` time for the caller, `e` time until everything had ended
///   if that is later, `s` status, `w` the word in place of a status, `z` bytes of the content, `v` the source of the
///   response, `o` outcome (1 failed, 2 cancelled, 3 running), `f` failure, `i` number, `r` rows, `x` exchanges.
/// - A row: kind, name, outcome, start, time, parts as kind, start, time in turn, and what the server says of its work.
/// - An exchange: `l` label, `m` method, `u` URL, `f` facts as name and value in turn, `q` and `a` fields of request
///   and response, `b` and `c` their contents, `k` lines of the command: −1 is the URL in quotes, −2 and below a field;
///   `n` the messages of a socket: kind (1 was sent, 2 is text, 4 is only the beginning), time, size, content.
enum PageData {
    /// The maximum number of content bytes in a page.
    static let contentLimit = 1 << 20

    /// The phases, by the names that the style sheet uses.
    static let bars: [(id: String, letter: String, name: String)] =
        [("hold", "~", "policy wait")]
        + TransportError.Phase.all.map { ($0.rawValue, String($0.row.letter), $0.row.name) }
        + [("open", "", "open, part unknown"), ("cache", "*", "cache")]

    /// The kinds of phases and rows, by number.
    private static let kinds = bars + [("span", "", "attempt"), ("decision", "", "decision"), ("line", "", "line")]

    private static let numbers = Dictionary(uniqueKeysWithValues: kinds.enumerated().map { ($1.id, $0) })

    /// The calls as JSON without `<`, so that it cannot end an HTML element.
    static func text(of records: [CallRecord], running: [CallRecord] = []) -> String {
        let timelines = (records.map { CallTimeline($0) } + running.map { CallTimeline($0, isRunning: true) })
            .sorted { ($0.record.startedOn, $0.record.call) < ($1.record.startedOn, $1.record.call) }
        var output = JSONOutput()
        var texts = PageTextTable()
        let base = (timelines.map(\.record.startedOn).min() ?? .zero).microseconds
        let withContents = callsWithContents(timelines)
        output.object { output in
            output.member("base", digits: String(base))
            output.array("kinds", of: kinds) { output, kind in
                output.array(of: [kind.id, kind.letter, kind.name]) { $0.member(nil, $1) }
            }
            output.array("calls", of: timelines.enumerated()) { output, item in
                let hasContents = withContents.contains(item.offset)
                let call = PageCall(timeline: item.element, base: base, hasContents: hasContents)
                output.object { call.write(to: &$0, &texts) }
            }
            output.array("texts", of: texts.all) { $0.member(nil, $1) }
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(output.bytes.count + 1024)
        // `<` occurs only inside strings.
        for byte in output.bytes {
            if byte == UInt8(ascii: "<") { bytes += #"\u003c"#.utf8 } else { bytes.append(byte) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func number(of kind: String) -> Int { numbers[kind] ?? 0 }

    /// The calls whose contents fit on the page: failed ones first, then the newest.
    private static func callsWithContents(_ timelines: [CallTimeline]) -> Set<Int> {
        func isFailed(_ index: Int) -> Bool { timelines[index].record.failure != nil }
        var left = contentLimit
        var selected = Set<Int>()
        let indices = timelines.indices.reversed()
        for index in indices.filter(isFailed) + indices.filter({ !isFailed($0) }) {
            let size = timelines[index].exchanges.reduce(0) { sum, exchange in
                sum + (exchange.request.body?.count ?? 0) + (exchange.head?.body?.count ?? 0)
                    + exchange.messages.reduce(0) { $0 + ($1.message.content?.count ?? 0) }
            }
            guard size <= left else { continue }
            left -= size
            selected.insert(index)
        }
        return selected
    }
}

/// Assigns a number to each text.
struct PageTextTable {
    private(set) var all: [String] = []
    private var numbers: [String: Int] = [:]

    /// The number of a text shown on one line.
    mutating func line(_ text: String) -> Int { number(of: text.oneLine) }

    /// The number of a text with line breaks.
    mutating func lines(_ text: String) -> Int {
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        return number(of: lines.map { String($0).oneLine }.joined(separator: "\n"))
    }

    private mutating func number(of text: String) -> Int {
        if let number = numbers[text] { return number }
        numbers[text] = all.count
        all.append(text)
        return all.count - 1
    }
}
