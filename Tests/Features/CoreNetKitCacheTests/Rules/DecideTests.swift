import CoreNetKitSystem
import CoreNetKitCache
import CoreNetKitHTTP
import TestPace
import Testing

import CoreNetKitEssentials

@Suite("The decision", .paced)
struct DecideTests {
    /// What a table says of an action.
    enum Expected: Equatable, Sendable {
        case use, stale, refresh, validate, forward, refuse
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let title: String
        var response: Headers
        var request: Headers = [:]
        var mode = CacheMode.standard
        var status = 200
        /// Seconds since the response was received.
        var after: Int64 = 10
        let expected: Expected
        var section: String?
        var testDescription: String { title }
    }

    static let date = FieldDate.format(1_800_000_000_000)
    static func at(_ seconds: Int64) -> String { FieldDate.format(1_800_000_000_000 + seconds * 1000) }
    static let tagged: Headers = ["Cache-Control": "max-age=60", "ETag": "\"a\""]

    static let freshness: [Row] = [
        Row(
            title: "fresh by max-age",
            response: ["Cache-Control": "max-age=60"],
            expected: .use,
            section: "RFC 9111, 4.2"
        ),
        Row(title: "stale at the end of max-age", response: ["Cache-Control": "max-age=10"], expected: .forward),
        Row(
            title: "max-age before Expires",
            response: ["Cache-Control": "max-age=60", "Expires": "0"],
            expected: .use
        ),
        Row(title: "s-maxage is not for us", response: ["Cache-Control": "s-maxage=60, max-age=1"], expected: .forward),
        Row(title: "private is for us", response: ["Cache-Control": "private, max-age=60"], expected: .use),
        Row(title: "Expires after Date", response: ["Expires": at(60), "Date": date], expected: .use),
        Row(title: "Expires without Date", response: ["Expires": at(60)], expected: .use),
        Row(title: "Expires before Date", response: ["Expires": at(60), "Date": at(80)], expected: .forward),
        Row(
            title: "two lines of Expires are none that can be read",
            response: Headers([("Expires", at(60)), ("Expires", at(61)), ("Date", date)]),
            expected: .forward
        ),
        Row(title: "Age counts", response: ["Cache-Control": "max-age=60", "Age": "55"], expected: .forward),
        Row(title: "Date does not count", response: ["Cache-Control": "max-age=60", "Date": at(-900)], expected: .use),
        Row(
            title: "a tenth of the time since the last change",
            response: ["Last-Modified": at(-200), "Date": date],
            expected: .use
        ),
        Row(
            title: "no estimate beside an expired lifetime",
            response: ["Last-Modified": at(-90_000), "Date": date, "Expires": at(-1)],
            expected: .validate
        ),
        Row(
            title: "no estimate for a status that has none",
            response: ["Last-Modified": at(-90_000), "Date": date],
            status: 403,
            expected: .validate
        ),
        Row(
            title: "public allows the estimate",
            response: ["Last-Modified": at(-90_000), "Date": date, "Cache-Control": "public"],
            status: 599,
            expected: .use
        ),
        Row(
            title: "the estimate ends after a day",
            response: ["Last-Modified": at(-90_000_000), "Date": date],
            after: 86_401,
            expected: .validate
        ),
        Row(
            title: "no estimate where the mode says so",
            response: ["Last-Modified": at(-90_000), "Date": date],
            mode: .standard.withoutHeuristics,
            expected: .validate
        ),
        Row(
            title: "a lifetime of the caller's",
            response: ["Cache-Control": "max-age=1"],
            mode: .ttl(.seconds(30)),
            expected: .use
        ),
        Row(
            title: "a lifetime of the caller's does not beat no-cache",
            response: ["Cache-Control": "no-cache", "ETag": "\"a\""],
            mode: .ttl(.seconds(30)),
            expected: .validate,
            section: "RFC 9111, 5.2.2.4"
        ),
        Row(
            title: "numbers at their ends",
            response: ["Cache-Control": "max-age=99999999999"],
            after: 2_000_000_000,
            expected: .use
        ),
    ]

    static let requests: [Row] = [
        Row(
            title: "no-cache validates",
            response: tagged,
            request: ["Cache-Control": "no-cache"],
            expected: .validate,
            section: "RFC 9111, 5.2.1.4"
        ),
        Row(
            title: "Pragma validates",
            response: tagged,
            request: ["Pragma": "no-cache"],
            expected: .validate,
            section: "RFC 9111, 5.4"
        ),
        Row(
            title: "Pragma does not count beside Cache-Control",
            response: tagged,
            request: ["Pragma": "no-cache", "Cache-Control": "foo"],
            expected: .use
        ),
        Row(
            title: "max-age=0 validates",
            response: tagged,
            request: ["Cache-Control": "max-age=0"],
            expected: .validate,
            section: "RFC 9111, 5.2.1.1"
        ),
        Row(title: "younger than max-age", response: tagged, request: ["Cache-Control": "max-age=20"], expected: .use),
        Row(
            title: "min-fresh",
            response: tagged,
            request: ["Cache-Control": "min-fresh=55"],
            expected: .validate,
            section: "RFC 9111, 5.2.1.3"
        ),
        Row(
            title: "max-stale",
            response: tagged,
            request: ["Cache-Control": "max-stale=20"],
            after: 70,
            expected: .stale,
            section: "RFC 9111, 5.2.1.2"
        ),
        Row(
            title: "max-stale without an end",
            response: tagged,
            request: ["Cache-Control": "max-stale"],
            after: 7000,
            expected: .stale
        ),
        Row(
            title: "too stale for max-stale",
            response: tagged,
            request: ["Cache-Control": "max-stale=5"],
            after: 70,
            expected: .validate
        ),
        Row(
            title: "no-store reads what is there",
            response: tagged,
            request: ["Cache-Control": "no-store"],
            expected: .use
        ),
        Row(
            title: "only-if-cached, fresh",
            response: tagged,
            request: ["Cache-Control": "only-if-cached"],
            expected: .use
        ),
        Row(
            title: "only-if-cached, stale",
            response: tagged,
            request: ["Cache-Control": "only-if-cached"],
            after: 70,
            expected: .refuse,
            section: "RFC 9111, 5.2.1.7"
        ),
        Row(
            title: "a condition of the caller's",
            response: tagged,
            request: ["If-None-Match": "\"b\""],
            expected: .forward,
            section: "RFC 9111, 4.3.2"
        ),
        Row(
            title: "a range",
            response: tagged,
            request: ["Range": "bytes=0-1"],
            expected: .use,
            section: "RFC 9111, 3.4"
        ),
        Row(title: "a range behind the end", response: tagged, request: ["Range": "bytes=99-"], expected: .forward),
        Row(
            title: "a range of another tag",
            response: tagged,
            request: ["Range": "bytes=0-1", "If-Range": "\"b\""],
            expected: .forward
        ),
        Row(
            title: "a range of this tag",
            response: tagged,
            request: ["Range": "bytes=0-1", "If-Range": "\"a\""],
            expected: .use
        ),
    ]

    static let modes: [Row] = [
        Row(
            title: "revalidate asks",
            response: tagged,
            mode: .revalidate,
            expected: .validate,
            section: "mode .revalidate"
        ),
        Row(
            title: "revalidate leaves what never changes",
            response: ["Cache-Control": "max-age=60, immutable", "ETag": "\"a\""],
            mode: .revalidate,
            expected: .use,
            section: "RFC 8246, 2"
        ),
        Row(
            title: "immutable ends with the lifetime",
            response: ["Cache-Control": "max-age=5, immutable", "ETag": "\"a\""],
            mode: .revalidate,
            expected: .validate
        ),
        Row(
            title: "reload asks without a condition",
            response: tagged,
            mode: .reload,
            expected: .forward,
            section: "mode .reload"
        ),
        Row(
            title: "only takes what is stale",
            response: tagged,
            mode: .only,
            after: 7000,
            expected: .stale,
            section: "RFC 9111, 4.2.4"
        ),
        Row(
            title: "only does not beat must-revalidate",
            response: ["Cache-Control": "max-age=5, must-revalidate"],
            mode: .only,
            expected: .refuse
        ),
        Row(title: "off", response: tagged, mode: .off, expected: .forward),
        Row(
            title: "while it is revalidated",
            response: ["Cache-Control": "max-age=5, stale-while-revalidate=10"],
            expected: .refresh,
            section: "RFC 5861, 3"
        ),
        Row(
            title: "the window starts when it becomes stale, and ends",
            response: ["Cache-Control": "max-age=5, stale-while-revalidate=10"],
            after: 15,
            expected: .forward
        ),
        Row(
            title: "must-revalidate beats every window",
            response: ["Cache-Control": "max-age=5, must-revalidate, stale-while-revalidate=99", "ETag": "\"a\""],
            request: ["Cache-Control": "max-stale"],
            expected: .validate,
            section: "RFC 9111, 5.2.2.2"
        ),
    ]

    static func variant(_ headers: Headers, status: Int = 200, selecting: [SelectingField] = []) -> CacheVariant {
        let time = CacheTime(wall: 1_800_000_000_000, steady: 0, run: 1)
        return CacheVariant(
            status: status,
            headers: headers,
            selecting: selecting,
            requested: time,
            received: time,
            isDecoded: false,
            content: .inline(Data("0123456789".utf8))
        )
    }

    @Test("follows the table", arguments: freshness + requests + modes)
    func table(row: Row) {
        let stored = CacheRecord(variants: [Self.variant(row.response, status: row.status)])
        let now = CacheTime(wall: 1_800_000_000_000 + row.after * 1000, steady: row.after * 1000, run: 1)
        let facts = CacheRequestFacts(method: .get, headers: row.request, mode: row.mode)
        let decision = decide(facts, stored: stored, now: now)
        let action: Expected =
            switch decision.action {
            case .use: .use
            case .useStale(_, let refresh): refresh ? .refresh : .stale
            case .validate: .validate
            case .forward, .complete: .forward
            case .refuse: .refuse
            }
        #expect(action == row.expected, "\(decision.reason)")
        if let section = row.section { #expect(decision.reason.section == section) }
    }

    @Test("is the same on the clock of another run, and unknown if that went backwards")
    func otherRun() {
        let stored = CacheRecord(variants: [Self.variant(Self.tagged)])
        let facts = CacheRequestFacts(method: .get, headers: [:])
        let later = CacheTime(wall: 1_800_000_010_000, steady: -99, run: 2)
        #expect(decide(facts, stored: stored, now: later).action == .use(0))
        let earlier = CacheTime(wall: 1_799_999_999_000, steady: 99, run: 2)
        #expect(decide(facts, stored: stored, now: earlier).reason == .clock)
    }

    @Test("uses the stored validators, and no others")
    func conditions() {
        let time = CacheTime(wall: 1_800_000_070_000, steady: 70_000, run: 1)
        let facts = CacheRequestFacts(method: .get, headers: [:])
        let both: Headers = ["Cache-Control": "max-age=1", "ETag": "W/\"a\"", "Last-Modified": Self.date]
        #expect(
            decide(facts, stored: CacheRecord(variants: [Self.variant(both)]), now: time).action
                == .validate([0], ["If-None-Match": "W/\"a\"", "If-Modified-Since": Self.date])
        )
        let none = CacheRecord(variants: [Self.variant(["Cache-Control": "max-age=1", "Last-Modified": "soon"])])
        #expect(decide(facts, stored: none, now: time).action == .forward([:]))
    }

    @Test("sends the tags of all variants if none is selected")
    func variants() {
        let stored = CacheRecord(variants: [
            Self.variant(["ETag": "\"a\"", "Vary": "Foo"], selecting: [SelectingField(name: "foo", value: "1")]),
            Self.variant(["ETag": "\"b\"", "Vary": "Foo"], selecting: [SelectingField(name: "foo", value: "2")]),
        ])
        let decision = decide(
            CacheRequestFacts(method: .get, headers: ["Foo": "3"]),
            stored: stored,
            now: CacheTime(wall: 1_800_000_000_000, steady: 0, run: 1)
        )
        #expect(decision.action == .validate([0, 1], ["If-None-Match": "\"a\", \"b\""]))
        #expect(decision.reason == .noVariant)
    }

    @Test("takes the most recent of several selected variants")
    func mostRecent() {
        let older = Self.variant(["Cache-Control": "max-age=60", "Date": Self.at(-5)])
        let newer = Self.variant(["Cache-Control": "max-age=60", "Date": Self.date])
        #expect(select([newer, older], [:]) == 0)
        #expect(select([older, newer], [:]) == 1)
    }

    @Test("never traps, whatever the numbers are", arguments: 0..<200)
    func extremes(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed) + 1)
        let numbers: [Int64] = [0, 1, -1, .max, .min, 1 << 31, 1 << 40, -(1 << 40), .max - 1, .min + 1]
        func number() -> Int64 { numbers[Int(random.next() % 10)] }
        let variant = CacheVariant(
            status: Int(random.next() % 1000),
            headers: [
                "Cache-Control": "max-age=\(number()), stale-while-revalidate=\(number()), stale-if-error=\(number())",
                "Age": "\(number())", "Expires": Self.date, "Last-Modified": Self.date,
            ],
            selecting: [],
            requested: CacheTime(wall: number(), steady: number(), run: random.next() % 2),
            received: CacheTime(wall: number(), steady: number(), run: random.next() % 2),
            isDecoded: false,
            content: .stored(name: "", length: number())
        )
        let control = "max-stale=\(number()), min-fresh=\(number()), max-age=\(number())"
        let facts = CacheRequestFacts(
            method: .get,
            headers: ["Cache-Control": control, "Range": "bytes=\(number())-"],
            mode: .staleIfError(for: .seconds(number()))
        )
        let now = CacheTime(wall: number(), steady: number(), run: random.next() % 2)
        let decision = decide(facts, stored: CacheRecord(variants: [variant]), now: now)
        #expect(!decision.reason.sentence.isEmpty)
    }
}
