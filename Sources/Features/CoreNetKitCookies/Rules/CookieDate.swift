import CoreNetKitEssentials
import CoreNetKitSystem

/// Parses dates of cookies: the parts may be in any order and separated by nearly anything (RFC 6265, 5.1.1).
enum CookieDate {
    static func parse(_ text: String) -> Date? {
        var (clock, day, month, year) = ((hour: Int, minute: Int, second: Int)?.none, Int?.none, Int?.none, Int?.none)
        for token in Array(text.utf8).split(whereSeparator: isDelimiter) {
            if clock == nil, let found = self.clock(token) {
                clock = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = self.month(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let clock, let day, let month, var year, clock.second <= 59 else { return nil }
        if (70...99).contains(year) { year += 1900 } else if (0...69).contains(year) { year += 2000 }
        guard year >= 1601 else { return nil }
        let (hour, minute, second) = clock
        return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)?.date
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The token's leading number, if only non-digits follow.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix(while: isDigit)
        guard digits.contains(number.count) else { return nil }
        return number.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func clock(_ token: ArraySlice<UInt8>) -> (Int, Int, Int)? {
        let fields = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        let numbers = fields.compactMap { number($0, digits: 1...2) }
        guard fields.count == 3, fields[0].allSatisfy(isDigit), fields[1].allSatisfy(isDigit), numbers.count == 3
        else { return nil }
        return (numbers[0], numbers[1], numbers[2])
    }

    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        let name = String(decoding: token.prefix(3), as: UTF8.self).lowercased()
        return months.firstIndex(of: name).map { $0 + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
