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

    mutating func name(of names: [String]) -> Int? { names.firstIndex { take($0) } }

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

/// A point in time as UTC calendar numbers, years 1 to 9999, whole seconds.
package struct CivilTime: Sendable, Hashable {
    package let year: Int
    package let month: Int
    package let day: Int
    package let hour: Int
    package let minute: Int
    package let second: Int

    /// Numbers that are not a valid day or time give `nil`; second 60 (a leap second) is the next minute's first.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (1...9999).contains(year), (1...12).contains(month),
            (1...CivilTime.days(inMonth: month, of: year)).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// Fractions of a second are dropped; a date outside the years 1 to 9999 gives `nil`.
    package init?(_ date: Date) {
        let time = date.timeIntervalSince1970.rounded(.down)
        guard time >= -62_135_596_800, time < 253_402_300_800 else { return nil }
        let seconds = Int(time)
        let days = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let rest = seconds - days * 86_400
        // Counted from 1 March of year 0, so that a leap day ends its year; in eras of 400 years (146 097 days).
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    package var date: Date {
        Date(timeIntervalSince1970: Double(daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// 0 is Sunday.
    package var weekday: Int { (daysSince1970 % 7 + 11) % 7 }

    /// `2026-01-31T12:30:00Z`.
    package var iso8601: String {
        let day = "\(Self.padded(year, 4))-\(Self.padded(month))-\(Self.padded(day))"
        return "\(day)T\(Self.padded(hour)):\(Self.padded(minute)):\(Self.padded(second))Z"
    }

    /// `2026-01-31T12:30:00.250Z`; `nil` outside the years 1 to 9999.
    package static func iso8601WithMilliseconds(_ date: Date) -> String? {
        // Rounded as one number, so that 0.9996 s is the next second.
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        let whole = (milliseconds / 1000).rounded(.down)
        guard let time = CivilTime(Date(timeIntervalSince1970: whole)) else { return nil }
        return "\(time.iso8601.dropLast()).\(padded(Int(milliseconds - whole * 1000), 3))Z"
    }

    package static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
