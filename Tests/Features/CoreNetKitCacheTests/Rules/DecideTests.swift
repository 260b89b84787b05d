import CoreNetKitCache
import TestSupport

@Suite("The decision", .paced)
struct DecideTests {
    /// What a table says of an action.
    enum Expected: Equatable, Sendable {
        case use, stale, refresh, validate, forward, refuse
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let (response, request): (Headers, Headers)
        let mode: CacheMode
        let status: Int
        /// Seconds since the response was received.
        let after: Int64
        let expected: Expected
        let section: String?

        init(
            _ title: String,
            _ response: Headers = tagged,
            request: Headers = [:],
            mode: CacheMode = .standard,
            status: Int = 200,
            after: Int64 = 10,
            _ expected: Expected,
            _ section: String? = nil
        ) {
            (testDescription, self.response, self.request) = (title, response, request)
            (self.mode, self.status, self.after) = (mode, status, after)
            (self.expected, self.section) = (expected, section)
        }
    }

    static let date = FieldDate.format(1_800_000_000_000)
    static func at(_ seconds: Int64) -> String { FieldDate.format(1_800_000_000_000 + seconds * 1000) }
    static let ttl = CacheMode.ttl(.seconds(30))

    static func changed(_ seconds: Int64, _ more: Headers = [:]) -> Headers {
        var headers = more
        headers.merge(["Last-Modified": at(seconds), "Date": date])
        return headers
    }

    static func withTag(_ text: String) -> Headers { control(text, ["ETag": "\"a\""]) }

    static let freshness: [Row] = [
        Row("fresh by max-age", control("max-age=60"), .use, "RFC 9111, 4.2"),
        Row("stale at the end of max-age", control("max-age=10"), .forward),
        Row("max-age before Expires", ["Cache-Control": "max-age=60", "Expires": "0"], .use),
        Row("s-maxage is not for us", control("s-maxage=60, max-age=1"), .forward),
        Row("private is for us", control("private, max-age=60"), .use),
        Row("Expires after Date", ["Expires": at(60), "Date": date], .use),
        Row("Expires without Date", ["Expires": at(60)], .use),
        Row("Expires before Date", ["Expires": at(60), "Date": at(80)], .forward),
        Row(
            "two lines of Expires are none",
            Headers([("Expires", at(60)), ("Expires", at(61)), ("Date", date)]),
            .forward
        ),
        Row("Age counts", ["Cache-Control": "max-age=60", "Age": "55"], .forward),
        Row("Date does not count", ["Cache-Control": "max-age=60", "Date": at(-900)], .use),
        Row("a tenth of the time since the last change", changed(-200), .use),
        Row("no estimate beside an expired lifetime", changed(-90_000, ["Expires": at(-1)]), .validate),
        Row("no estimate for a status that has none", changed(-90_000), status: 403, .validate),
        Row("public allows the estimate", changed(-90_000, control("public")), status: 599, .use),
        Row("the estimate ends after a day", changed(-90_000_000), after: 86_401, .validate),
        Row("no estimate where the mode says so", changed(-90_000), mode: .standard.withoutHeuristics, .validate),
        Row("a lifetime of the caller's", control("max-age=1"), mode: ttl, .use),
        Row("which does not beat no-cache", withTag("no-cache"), mode: ttl, .validate, "RFC 9111, 5.2.2.4"),
        Row("numbers at their ends", control("max-age=99999999999"), after: 2_000_000_000, .use),
    ]

    static let requests: [Row] = [
        Row("no-cache validates", request: control("no-cache"), .validate, "RFC 9111, 5.2.1.4"),
        Row("Pragma validates", request: ["Pragma": "no-cache"], .validate, "RFC 9111, 5.4"),
        Row("Pragma does not count beside Cache-Control", request: control("foo", ["Pragma": "no-cache"]), .use),
        Row("max-age=0 validates", request: control("max-age=0"), .validate, "RFC 9111, 5.2.1.1"),
        Row("younger than max-age", request: control("max-age=20"), .use),
        Row("min-fresh", request: control("min-fresh=55"), .validate, "RFC 9111, 5.2.1.3"),
        Row("max-stale", request: control("max-stale=20"), after: 70, .stale, "RFC 9111, 5.2.1.2"),
        Row("max-stale without an end", request: control("max-stale"), after: 7000, .stale),
        Row("too stale for max-stale", request: control("max-stale=5"), after: 70, .validate),
        Row(
            "max-stale beside max-age accepts stale responses, not older ones",
            control("max-age=600"),
            request: control("max-age=5, max-stale=10"),
            after: 100,
            .forward
        ),
        Row("no-store reads what is there", request: control("no-store"), .use),
        Row("only-if-cached, fresh", request: control("only-if-cached"), .use),
        Row("only-if-cached, stale", request: control("only-if-cached"), after: 70, .refuse, "RFC 9111, 5.2.1.7"),
        Row("a condition of the caller's", request: ["If-None-Match": "\"b\""], .forward, "RFC 9111, 4.3.2"),
        Row("a range", request: ["Range": "bytes=0-1"], .use, "RFC 9111, 3.4"),
        Row("a range behind the end", request: ["Range": "bytes=99-"], .forward),
        Row("a range of another tag", request: ["Range": "bytes=0-1", "If-Range": "\"b\""], .forward),
        Row("a range of this tag", request: ["Range": "bytes=0-1", "If-Range": "\"a\""], .use),
    ]

    static let modes: [Row] = [
        Row("revalidate asks", mode: .revalidate, .validate, "mode .revalidate"),
        Row("but not of what never changes", withTag("max-age=60, immutable"), mode: .revalidate, .use, "RFC 8246, 2"),
        Row("immutable ends with the lifetime", withTag("max-age=5, immutable"), mode: .revalidate, .validate),
        Row("reload asks without a condition", mode: .reload, .forward, "mode .reload"),
        Row("only takes what is stale", mode: .only, after: 7000, .stale, "RFC 9111, 4.2.4"),
        Row("only does not beat must-revalidate", control("max-age=5, must-revalidate"), mode: .only, .refuse),
        Row("off", mode: .off, .forward),
        Row("while it is revalidated", control("max-age=5, stale-while-revalidate=10"), .refresh, "RFC 5861, 3"),
        Row("and not after its window", control("max-age=5, stale-while-revalidate=10"), after: 15, .forward),
        Row(
            "must-revalidate beats every window",
            withTag("max-age=5, must-revalidate, stale-while-revalidate=99"),
            request: control("max-stale"),
            .validate,
            "RFC 9111, 5.2.2.2"
        ),
    ]

    static func variant(_ headers: Headers, status: Int = 200, selecting: [SelectingField] = []) -> CacheVariant {
        let time = CacheTime(wallMilliseconds: 1_800_000_000_000, monotonicMilliseconds: 0, bootID: 1)
        return stored(at: time, Data("0123456789".utf8), headers, status: status, selecting: selecting)
    }

    /// What cannot be read as a date is in the past.
    static let expiries = ["0", "-1", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 50 02:01:18 GMT"].map {
        Row("Expires: \($0)", ["Expires": $0, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"], after: 0, .validate)
    }

    @Test("follows the table", arguments: freshness + requests + modes + expiries)
    func table(row: Row) {
        let stored = CacheRecord(variants: [Self.variant(row.response, status: row.status)])
        let now = CacheTime(
            wallMilliseconds: 1_800_000_000_000 + row.after * 1000,
            monotonicMilliseconds: row.after * 1000,
            bootID: 1
        )
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
        #expect(action == row.expected, "\(CacheReason(decision.reason))")
        if let section = row.section { #expect(CacheReason(decision.reason).section == section) }
    }

    @Test("is the same on the clock of another run, and unknown if that went backwards")
    func otherRun() {
        let stored = CacheRecord(variants: [Self.variant(tagged)])
        let facts = CacheRequestFacts(method: .get, headers: [:])
        let later = CacheTime(wallMilliseconds: 1_800_000_010_000, monotonicMilliseconds: -99, bootID: 2)
        #expect(decide(facts, stored: stored, now: later).action == .use(0))
        let earlier = CacheTime(wallMilliseconds: 1_799_999_999_000, monotonicMilliseconds: 99, bootID: 2)
        #expect(decide(facts, stored: stored, now: earlier).reason == .clock)
    }

    @Test("uses the stored validators, and no others")
    func conditions() {
        let time = CacheTime(wallMilliseconds: 1_800_000_070_000, monotonicMilliseconds: 70_000, bootID: 1)
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
        let facts = CacheRequestFacts(method: .get, headers: ["Foo": "3"])
        let decision = decide(
            facts,
            stored: stored,
            now: CacheTime(wallMilliseconds: 1_800_000_000_000, monotonicMilliseconds: 0, bootID: 1)
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
            selectingFields: [],
            requestTime: CacheTime(
                wallMilliseconds: number(),
                monotonicMilliseconds: number(),
                bootID: random.next() % 2
            ),
            responseTime: CacheTime(
                wallMilliseconds: number(),
                monotonicMilliseconds: number(),
                bootID: random.next() % 2
            ),
            isDecoded: false,
            content: .stored(name: "", length: number())
        )
        let control = "max-stale=\(number()), min-fresh=\(number()), max-age=\(number())"
        let facts = CacheRequestFacts(
            method: .get,
            headers: ["Cache-Control": control, "Range": "bytes=\(number())-"],
            mode: .staleIfError(for: .seconds(number()))
        )
        let now = CacheTime(wallMilliseconds: number(), monotonicMilliseconds: number(), bootID: random.next() % 2)
        let decision = decide(facts, stored: CacheRecord(variants: [variant]), now: now)
        #expect(!CacheReason(decision.reason).sentence.isEmpty)
    }
}
