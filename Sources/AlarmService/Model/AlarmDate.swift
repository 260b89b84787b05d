#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Reads the forms in which servers of this kind write a time.
public enum AlarmDate {
    /// Reads ISO 8601, `2026-11-21 15:30:00` as Korean time, and seconds or milliseconds since 1970.
    ///
    /// - Parameter text: The time as sent.
    /// - Returns: The time, `nil` when the text is none of these.
    public static func parse(_ text: String) -> Date? {
        if let number = Double(text) {
            guard number.isFinite, number > 0 else { return nil }
            // A number of seconds with 12 digits would be in the year 5000.
            return Date(timeIntervalSince1970: number >= 1e11 ? number / 1000 : number)
        }
        let iso = Date.ISO8601FormatStyle()
        if let date = try? iso.parse(text) { return date }
        if let date = try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text) { return date }
        let parts = text.split(separator: " ")
        guard parts.count == 2 else { return nil }
        return try? iso.parse("\(parts[0])T\(parts[1])+09:00")
    }
}
