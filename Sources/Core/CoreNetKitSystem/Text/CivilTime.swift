package import CoreNetKitEssentials

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
