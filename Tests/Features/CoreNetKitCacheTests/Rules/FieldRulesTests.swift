import CoreNetKitCache
import TestSupport

@Suite("Caching fields", .paced)
struct FieldRulesTests {
    @Test(
        "max-age is read if it consists of digits, and is zero otherwise",
        arguments: [
            ("max-age=60", 60), ("MAX-AGE=60", 60), ("max-age=\"60\"", 60), ("max-age=0060", 60),
            ("max-age=-60", 0), ("max-age=60.5", 0), ("max-age='60'", 0), ("max-age=60a", 0), ("max-age=", 0),
            ("max-age", 0), ("max-age=99999999999999999999999", 2_147_483_648), ("max-age=2147483649", 2_147_483_648),
            ("max-age=1, max-age=60", 1), ("max-age=60, max-age=1", 60), ("foo=\"max-age=9\", max-age=1", 1),
            ("max-age=1, foo=\"a, max-age=9\"", 1), ("ext=\"no-store, max-age=0\", max-age=60", 60),
            ("foo=\"\\\"max-age=9\", max-age=1", 1), (" ,, max-age=7 ,", 7),
        ] as [(String, Int64)]
    )
    func maxAge(field: String, seconds: Int64) {
        #expect(CacheControl(["Cache-Control": field]).maxAge == seconds)
    }

    @Test("blanks around the equals sign make another directive, or an unreadable value")
    func blanks() {
        #expect(["max-age =60", "max-age= 60"].map { CacheControl(["Cache-Control": $0]).maxAge } == [nil, 0])
    }

    @Test("a field with unclosed quotes forbids storing, a directive inside of quotes does not")
    func openQuotes() {
        #expect(CacheControl(["Cache-Control": "max-age=60, foo=\"no-cache"]).noStore)
        #expect(!CacheControl(["Cache-Control": "ext=\"no-store, max-age=0\", max-age=60"]).noStore)
    }

    @Test("directives of several lines are combined")
    func lines() {
        let control = CacheControl(Headers([("Cache-Control", "public"), ("cache-control", "max-age=5, immutable")]))
        #expect(control.isPublic && control.immutable && control.maxAge == 5)
    }

    @Test(
        "Age is the first member of the first line, and zero if that cannot be read",
        arguments: [
            (["7"], 7), (["7, 0"], 7), (["0, 7"], 0), (["0", "7"], 0), (["7", "0"], 7), (["-7"], 0),
            (["7.0"], 0), (["abc"], 0), ([""], 0), (["2147483649"], 2_147_483_648), (["7;a=b"], 0), ([" 7 "], 7),
        ] as [([String], Int64)]
    )
    func age(lines: [String], seconds: Int64) {
        #expect(ResponseFacts(Headers(lines.map { ("Age", $0) }), responseTime: 0).age == seconds)
    }

    @Test(
        "dates are read in three forms, in any case, and only in GMT",
        arguments: [
            ("Thu, 18 Aug 2050 02:01:18 GMT", true), ("THU, 18 AUG 2050 02:01:18 gMT", true),
            ("Thursday, 18-Aug-50 02:01:18 GMT", true), ("Thu Aug 18 02:01:18 2050", true),
            ("Thu, 18 Aug 2050 02:01:18 UTC", false), ("Thu, 18 Aug 50 02:01:18 GMT", false),
            ("Thu 18 Aug 2050 02:01:18 GMT", false), ("Thu, 18  Aug  2050 02:01:18 GMT", false),
            ("Thu, 18-Aug-2050 02:01:18 GMT", false), ("Thu, 18 Aug 2050 02.01.18 GMT", false),
            ("Thu, 18 Aug 2050 2:01:18 GMT", false), ("0", false), ("-1", false), ("", false),
        ]
    )
    func dates(text: String, isDate: Bool) {
        #expect((FieldDate.parse(text, now: 1_800_000_000_000) != nil) == isDate)
    }

    @Test(
        "one range of bytes is read, with one or both ends",
        arguments: [
            ("bytes=0-4", 0..<5), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10),
            ("bytes=8-99", 8..<10), ("Bytes=9-9", 9..<10), ("bytes=0-9223372036854775807", nil),
            ("bytes=10-", nil), ("bytes=4-2", nil), ("bytes=0-1,3-4", nil), ("bytes=-0", nil), ("bytes=-", nil),
            ("items=0-1", nil), ("bytes", nil), ("bytes=a-b", nil),
        ] as [(String, Range<Int64>?)]
    )
    func ranges(text: String, positions: Range<Int64>?) {
        #expect(ByteRange(text)?.positions(in: 10) == positions)
    }

    @Test(
        "groups are lists of strings; anything else makes the field invalid",
        arguments: [
            ("\"a\", \"b c\"", ["a", "b c"]), ("\"a\";q=1", ["a"]), ("\"\\\"\"", ["\""]), ("a, \"b\"", []),
            ("\"a", []), ("\"a\"b", []), ("", []), ("\"ä\"", []),
        ] as [(String, [String])]
    )
    func groups(text: String, names: [String]) {
        #expect(Invalidation.groups(of: ["Cache-Groups": text]) == names)
    }

    @Test("tags match strongly if both are strong, weakly if the opaque part is the same")
    func tags() {
        let (strong, weak) = ("\"a\"", "W/\"a\"")
        #expect(EntityTag.matchesStrongly(strong, strong) && !EntityTag.matchesStrongly(weak, weak))
        #expect(EntityTag.matchesWeakly(weak, strong) && !EntityTag.matchesWeakly(strong, "\"b\""))
    }

    @Test("hop-by-hop fields and proxy fields are not kept")
    func hopByHop() {
        let headers: Headers = [
            "Connection": "x-hop, Y-Hop", "X-Hop": "1", "y-hop": "2", "Keep-Alive": "3", "TE": "4", "Upgrade": "5",
            "Proxy-Authenticate": "6", "Transfer-Encoding": "chunked", "X-Kept": "7", "Set-Cookie": "a=b",
        ]
        #expect(StoredFields.kept(headers).map(\.name) == ["X-Kept", "Set-Cookie"])
    }

    @Test("what describes the bytes is not taken from a confirmation")
    func confirmation() {
        let newer: Headers = ["Content-Encoding": "gzip", "Content-Length": "0", "Content-Range": "bytes 0-1/2"]
        #expect(StoredFields.merged(["ETag": "\"a\""], with: newer).map(\.name) == ["ETag"])
    }

    @Test(
        "a response that cannot be confirmed is kept while it is fresh and for the longest time that it may be stale",
        arguments: [
            ("max-age=60", nil, 60), ("max-age=5", nil, 60), ("max-age=60", 100, 160),
            ("max-age=60, stale-while-revalidate=10", 100, 160), ("max-age=60, stale-if-error=300", 100, 360),
            ("max-age=60, stale-if-error=300, stale-while-revalidate=500", nil, 560),
        ] as [(String, Int64?, Int64)]
    )
    func use(control: String, staleIfError: Int64?, seconds: Int64) {
        var mode = CacheMode.standard
        if let staleIfError { mode = mode.staleIfError(for: .seconds(staleIfError)) }
        #expect(DecideTests.variant(["Cache-Control": control]).keepTime(in: mode) == .seconds(seconds))
    }
}
