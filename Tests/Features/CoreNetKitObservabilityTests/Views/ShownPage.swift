import CoreNetKit
import CoreNetKitObservability
import Foundation
import Testing

/// A page as its own script reads it.
struct ShownPage {
    let html: String
    let data: Json
    let script: String
    let style: String
    /// The page without data, script and style sheet.
    let markup: String

    init(_ html: String) throws {
        self.html = html
        func cut(_ open: String, _ close: String) throws -> Substring {
            let start = try #require(html.range(of: open))
            let end = try #require(html[start.upperBound...].range(of: close))
            return html[start.upperBound..<end.lowerBound]
        }
        let text = try cut("<script type=\"application/json\" id=\"data\">", "</script>")
        data = try Json(parsing: String(text))
        script = String(try cut("<script>", "</script>"))
        style = String(try cut("<style>", "</style>"))
        markup = html.replacing(text, with: "").replacing(script, with: "").replacing(style, with: "")
    }

    init(_ records: [CallRecord], title: String = "Calls") throws {
        try self.init(CallPage(records, title: title).html)
    }

    var calls: [Json] { data["calls"]?.array ?? [] }

    func text(_ number: Json?) -> String? { number?.int.flatMap { data["texts"]?[$0]?.string } }

    func texts(_ numbers: Json?) -> [String] { (numbers?.array ?? []).compactMap { text($0) } }

    func facts(_ exchange: Json) -> [String: String] {
        let words = texts(exchange["f"])
        return Dictionary(
            uniqueKeysWithValues: stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
        )
    }

    /// The parts of a row: kind, start and length in microseconds.
    func parts(_ row: Json) -> [(kind: String, start: Int, length: Int)] {
        let numbers = (row[5]?.array ?? []).compactMap(\.int)
        return stride(from: 0, to: numbers.count, by: 3).map { at in
            (data["kinds"]?[numbers[at]]?[0]?.string ?? "", numbers[at + 1], numbers[at + 2])
        }
    }

    /// The command as the script puts it together.
    func command(_ exchange: Json) -> String {
        let lines = (exchange["k"]?.array ?? []).compactMap(\.int).map { line in
            if line == -1 { return "'\(text(exchange["u"]) ?? "")'" }
            if line < -1 { return "--header '\(text(exchange["q"]?[-2 - line]) ?? "")'" }
            return text(Json(line)) ?? ""
        }
        return lines.joined(separator: " \\\n  ")
    }
}
