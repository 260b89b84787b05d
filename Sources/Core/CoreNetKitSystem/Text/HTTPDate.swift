package import CoreNetKitEssentials

/// Dates of header fields such as `Date`, `Expires`, `Last-Modified` and `Retry-After` (RFC 9110, 5.6.7).
package enum HTTPDate {
    /// `Sun, 06 Nov 1994 08:49:37 GMT`; a date outside the years 1 to 9999 becomes the nearest one inside.
    package static func format(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970
        let inside = Date(
            timeIntervalSince1970: seconds.isNaN ? 0 : min(max(seconds, -62_135_596_800), 253_402_300_799)
        )
        guard let time = CivilTime(inside) else { return "" }
        let day = "\(shortDays[time.weekday]), \(CivilTime.padded(time.day)) \(months[time.month - 1])"
        let clock = [time.hour, time.minute, time.second].map { CivilTime.padded($0) }.joined(separator: ":")
        return "\(day) \(CivilTime.padded(time.year, 4)) \(clock) GMT"
    }

    /// Reads the three forms that a recipient must accept, `nil` for anything else.
    ///
    /// The weekday must be valid, but need not match the date. `now` determines the century of RFC 850's two-digit
    /// years: none is more than 50 years ahead.
    package static func parse(_ text: some StringProtocol, now: Date = Date()) -> Date? {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBufferPointer { bytes in
            let start = DateScanner(bytes: bytes)
            return (imfFixdate(start) ?? asctime(start) ?? rfc850(start, now: now))?.date
        }
    }

    // `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func imfFixdate(_ start: DateScanner) -> CivilTime? {
        var scan = start
        guard scan.name(of: shortDays) != nil, scan.take(", "), let day = scan.number(2), scan.take(" "),
            let month = scan.name(of: months), scan.take(" "), let year = scan.number(4), scan.take(" "),
            let clock = scan.clock(), scan.take(" GMT"), scan.isAtEnd
        else { return nil }
        return time(year, month, day, clock)
    }

    // `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ start: DateScanner, now: Date) -> CivilTime? {
        var scan = start
        guard scan.name(of: longDays) != nil, scan.take(", "), let day = scan.number(2), scan.take("-"),
            let month = scan.name(of: months), scan.take("-"), let year = scan.number(2), scan.take(" "),
            let clock = scan.clock(), scan.take(" GMT"), scan.isAtEnd, let now = CivilTime(now)
        else { return nil }
        let century = now.year / 100 * 100
        let candidates = [century + 100, century, century - 100].compactMap { time($0 + year, month, day, clock) }
        return candidates.first { isAtMost50Years($0, after: now) }
    }

    // `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ start: DateScanner) -> CivilTime? {
        var scan = start
        guard scan.name(of: shortDays) != nil, scan.take(" "), let month = scan.name(of: months), scan.take(" "),
            let day = scan.take(" ") ? scan.number(1) : scan.number(2), scan.take(" "),
            let clock = scan.clock(), scan.take(" "), let year = scan.number(4), scan.isAtEnd
        else { return nil }
        return time(year, month, day, clock)
    }

    private static func time(_ year: Int, _ month: Int, _ day: Int, _ clock: (Int, Int, Int)) -> CivilTime? {
        CivilTime(year: year, month: month + 1, day: day, hour: clock.0, minute: clock.1, second: clock.2)
    }

    private static func isAtMost50Years(_ time: CivilTime, after now: CivilTime) -> Bool {
        let rest = { (time: CivilTime) in [time.month, time.day, time.hour, time.minute, time.second] }
        if time.year != now.year + 50 { return time.year < now.year + 50 }
        return !rest(now).lexicographicallyPrecedes(rest(time))
    }
}

private let shortDays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let longDays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

private struct DateScanner {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var index = 0

    init(bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take(_ literal: String) -> Bool {
        guard bytes[index...].starts(with: literal.utf8) else { return false }
        index += literal.utf8.count
        return true
    }

    mutating func name(of names: [String]) -> Int? {
        names.firstIndex { take($0) }
    }

    mutating func number(_ width: Int) -> Int? {
        guard index + width <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[index..<index + width] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
        }
        index += width
        return value
    }

    mutating func clock() -> (Int, Int, Int)? {
        guard let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2) else {
            return nil
        }
        return (hour, minute, second)
    }
}
