import CoreNetKitSystem
import TestPace

@Suite("HTTP dates", .timeLimit(.minutes(10)), .paced)
struct HTTPDateTests {
    // 2026-11-21T00:00:00Z
    private let now = Date(timeIntervalSince1970: 1_795_219_200)

    @Test(
        "reads the three forms of RFC 9110",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Mon, 01 Jan 0001 00:00:00 GMT", -62_135_596_800),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("Thu, 29 Feb 2024 12:00:00 GMT", 1_709_208_000),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("Mon, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thursday, 01-Jan-70 00:00:00 GMT", 3_155_760_000),
            ("Saturday, 21-Nov-76 00:00:00 GMT", 3_373_142_400), ("Sunday, 21-Nov-76 00:00:01 GMT", 217_382_401),
            ("Tuesday, 29-Feb-00 00:00:00 GMT", 951_782_400),
        ] as [(String, Double)]
    )
    func forms(text: String, seconds: Double) {
        #expect(HTTPDate.parse(text, now: now) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "refuses everything else",
        arguments: [
            "", "0", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 6 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT ", " Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT", "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Xyz 1994 08:49:37 GMT", "Sun, 32 Jan 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
            "Tue, 29 Feb 2023 12:00:00 GMT", "Thu, 29 Feb 1900 12:00:00 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
            "Sun, 06 Nov 1994 08:60:00 GMT", "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 Nov 0000 08:49:37 GMT",
            "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 gmt", "sun, 06 nov 1994 08:49:37 GMT",
            "Sun, 06 Nov +994 08:49:37 GMT", "Sun Nov 6 08:49:37 1994", "Sun Nov  66 08:49:37 1994", "Sun Nov",
            "Sun, ०६ Nov 1994 08:49:37 GMT",
        ]
    )
    func refusals(text: String) { #expect(HTTPDate.parse(text, now: now) == nil) }

    @Test("writes the preferred form, of the nearest valid date")
    func format() {
        for (seconds, text) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (784_111_777.999, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1e300, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (-1e300, "Mon, 01 Jan 0001 00:00:00 GMT"), (.nan, "Thu, 01 Jan 1970 00:00:00 GMT"),
        ] { #expect(HTTPDate.format(Date(timeIntervalSince1970: seconds)) == text) }
    }

    @Test("reads what it wrote, and agrees with Foundation's ISO 8601, for random dates", arguments: 0..<10)
    func roundTrip(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let seconds = Int.random(in: -62_135_596_800...253_402_300_799, using: &random)
            let date = Date(timeIntervalSince1970: Double(seconds))
            #expect(HTTPDate.parse(HTTPDate.format(date)) == date)
            let time = try #require(CivilTime(date))
            #expect(time.date == date)
            // Foundation's calendar is Julian before 15 October 1582; ours is Gregorian throughout, as HTTP's is.
            if seconds > -12_219_292_800 { #expect(time.iso8601 == date.formatted(.iso8601)) }
        }
    }

    @Test(
        "a truncated date is invalid, wherever it was cut",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
            "Wed Nov 16 08:49:37 1994",
        ]
    )
    func cut(text: String) {
        #expect(HTTPDate.parse(text, now: now) != nil)
        for count in 0..<text.count { #expect(HTTPDate.parse(text.prefix(count), now: now) == nil, "\(count)") }
    }

    @Test("each day of eight hundred years follows the one before it, and reads back as it was")
    func days() throws {
        var last = try #require(CivilTime(Date(timeIntervalSince1970: -11_676_096_000)))
        #expect((last.year, last.month, last.day) == (1600, 1, 1))
        for number in 1..<292_194 {
            let date = Date(timeIntervalSince1970: -11_676_096_000 + Double(number) * 86_400)
            let day = try #require(CivilTime(date))
            let isNext = day.month == last.month && day.year == last.year && day.day == last.day + 1
            let isFirst =
                day.day == 1 && last.day > 27 && (day.year * 12 + day.month == last.year * 12 + last.month + 1)
            guard isNext || isFirst, day.date == date else { return #expect(Bool(false), "\(last) before \(day)") }
            last = day
        }
        #expect((last.year, last.month, last.day) == (2399, 12, 31))
    }
}
