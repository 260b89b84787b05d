import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

import CoreNetKitEssentials

/// Field values of a step as sent over the wire.
enum SuiteFields {
    /// A value; numbers of date fields are seconds from a time, locations of magic steps are relative to a URL.
    static func value(_ name: String, _ json: Json, _ step: SuiteStep, now: Int64, base: String) -> String {
        if let offset = json.int64, isDate(name) {
            let date = Date(timeIntervalSince1970: Double(now / 1000 + offset))
            let isOld = step.list("rfc850date").contains { $0.string.map { Headers.matches($0, name) } ?? false }
            return isOld ? rfc850(date) : HTTPDate.format(date)
        }
        let text = json.string ?? json.number ?? ""
        if step.flag("magic_locations") == true, isLocation(name) { return text.isEmpty ? base : "\(base)/\(text)" }
        return text
    }

    /// All lines of a name as one.
    static func joined(_ headers: Headers, _ name: String) -> String? {
        let lines = headers[values: name]
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }

    private static func isDate(_ name: String) -> Bool {
        ["Date", "Expires", "Last-Modified", "If-Modified-Since", "If-Unmodified-Since"].contains {
            Headers.matches($0, name)
        }
    }

    private static func isLocation(_ name: String) -> Bool {
        Headers.matches(name, "Location") || Headers.matches(name, "Content-Location")
    }

    private static func rfc850(_ date: Date) -> String {
        let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
        let parts = HTTPDate.format(date).split(separator: " ")
        guard let time = CivilTime(date), parts.count == 6 else { return "" }
        return "\(days[time.weekday]), \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}
