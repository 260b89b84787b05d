public import CoreNetKitEssentials

/// Reads the date formats of servers of this kind.
public enum AlarmDate {
    /// Reads ISO 8601, `2026-11-21 15:30:00` and `20261121153000` as Korean time, and seconds or milliseconds since 1970.
    ///
    /// - Parameter text: The time as sent.
    /// - Returns: The time; `nil` if the text has no such format, or for a time after the year 2200.
    public static func parse(_ text: String) -> Date? {
        guard text.utf8.count <= 64, let date = read(text) else { return nil }
        return date.timeIntervalSince1970 < 7_258_118_400 ? date : nil
    }

    private static func read(_ text: String) -> Date? {
        let iso = Date.ISO8601FormatStyle()
        let digits = Array(text)
        if digits.count == 14, digits.allSatisfy({ ("0"..."9").contains($0) }) {
            let part = { (range: Range<Int>) in String(digits[range]) }
            let day = [part(0..<4), part(4..<6), part(6..<8)].joined(separator: "-")
            let time = [part(8..<10), part(10..<12), part(12..<14)].joined(separator: ":")
            return try? iso.parse("\(day)T\(time)+09:00")
        }
        if let number = Double(text) {
            guard number.isFinite, number > 0 else { return nil }
            // A number of seconds with 12 digits would be in the year 5000.
            return Date(timeIntervalSince1970: number >= 1e11 ? number / 1000 : number)
        }
        if let date = try? iso.parse(text) { return date }
        if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) { return date }
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        return try? iso.parse("\(parts[0])T\(parts[1])+09:00")
    }
}
