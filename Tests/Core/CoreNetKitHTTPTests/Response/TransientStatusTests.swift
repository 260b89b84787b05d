import CoreNetKitHTTP
import TestPace

@Suite("Transient statuses", .timeLimit(.minutes(10)), .paced)
struct TransientStatusTests {
    @Test("all statuses that may pass", arguments: 100...599)
    func isTransient(status: Int) {
        #expect(TransientStatus.isTransient(status) == [408, 425, 429, 500, 502, 503, 504].contains(status))
    }

    @Test("those that mean that nothing was done")
    func saysNothingWasDone() {
        #expect(TransientStatus.allCases.filter(\.saysNothingWasDone).map(\.rawValue) == [408, 425, 429, 503])
    }

    @Test("those after which a collector wants the same data again")
    func otlp() {
        #expect(TransientStatus.allCases.filter(\.isRetryableInOTLP).map(\.rawValue) == [429, 502, 503, 504])
    }
}

@Suite("Retry-After (RFC 9110, 10.2.3)", .timeLimit(.minutes(10)), .paced)
struct RetryAfterTests {
    // Sun, 06 Nov 1994 08:49:37 GMT
    private let now = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "is seconds or one of three date forms; a past date means no wait, too many seconds the longest one",
        arguments: [
            ("0", .zero), ("30", .seconds(30)), ("007", .seconds(7)), ("99999999999999999999", .seconds(3_155_760_000)),
            ("Sun, 06 Nov 1994 08:49:47 GMT", .seconds(10)), ("Sunday, 06-Nov-94 08:49:47 GMT", .seconds(10)),
            ("Sun Nov  6 08:49:47 1994", .seconds(10)), ("Sun, 06 Nov 1994 08:49:27 GMT", .zero),
            ("Fri, 31 Dec 9999 23:59:59 GMT", .seconds(3_155_760_000)),
        ] as [(String, Duration)]
    )
    func readable(text: String, expected: Duration) {
        #expect(RetryAfter.wait(of: ["Retry-After": text]) { now } == expected)
    }

    @Test("is nil otherwise", arguments: ["", "-5", "+5", "1.5", "7 s", "soon", "\u{667}", "5, 6"])
    func unreadable(text: String) {
        #expect(RetryAfter.wait(of: ["Retry-After": text]) { now } == nil)
    }

    @Test("if it is missing, no date is looked up")
    func absent() {
        let wait = RetryAfter.wait(of: ["Content-Type": "text/plain"]) {
            Issue.record("the date was looked up")
            return now
        }
        #expect(wait == nil)
    }
}
