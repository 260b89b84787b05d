import CoreNetKitWire
import TestPace

@Suite("Keep-Alive: for how long a server keeps a connection", .timeLimit(.minutes(10)), .paced)
struct KeepAliveTests {
    private func field(_ lines: [String]) -> KeepAlive.Field? {
        let fields = lines.map { "Keep-Alive: \($0)\r\n" }.joined()
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\(fields)\r\n"
        var reader = ResponseReader()
        Array(text.utf8).withUnsafeBytes { bytes in
            var position = 0
            _ = reader.next(bytes, &position)
        }
        return reader.head?.keepAlive
    }

    @Test(
        "is read parameter by parameter, and what is no number says nothing",
        arguments: [
            ([], nil, nil), (["timeout=5, max=100"], 5, 100), (["Timeout = 5"], 5, nil), (["max=0"], nil, 0),
            (["timeout=5", "max=7"], 5, 7), (["300"], nil, nil), (["timeout=, max=-1"], nil, nil),
            (["timeout=5.5, max=x, timeoutx=1"], nil, nil), (["timeout=99999999999999999999"], nil, nil),
            ([""], nil, nil),
        ] as [([String], Int64?, Int64?)]
    )
    func fields(lines: [String], timeout: Int64?, max: Int64?) {
        let field = field(lines)
        #expect(field?.timeout == timeout && field?.max == max)
    }

    @Test(
        "ends a second before the server's time, and no later than is configured",
        arguments: [
            ([], 60, true), (["timeout=5"], 4, true), (["timeout=61"], 60, true), (["timeout=3600"], 60, true),
            (["timeout=2"], 1, true), (["timeout=1"], 0, false), (["timeout=0"], 0, false),
            (["timeout=9223372036854775807"], 60, true),
        ] as [([String], Int64, Bool)]
    )
    func idle(lines: [String], seconds: Int64, isKept: Bool) throws {
        var kept = KeepAlive()
        #expect(kept.note(try #require(field(lines))) == isKept)
        #expect(kept.idleLimit(60_000_000_000) == seconds * 1_000_000_000)
        // A later response without the field changes nothing.
        _ = kept.note(try #require(field([])))
        #expect(kept.idleLimit(60_000_000_000) == seconds * 1_000_000_000)
    }

    @Test(
        "ends with the last request that the server accepts, whether it counts down or not",
        arguments: [
            ([3, 3, 3], [true, true, false]), ([3, 2, 1], [true, true, false]), ([1], [false]), ([0], [false]),
            ([100, 2, nil], [true, true, false]), ([nil, nil, 1], [true, true, false]), ([.max, .max], [true, true]),
        ] as [([Int64?], [Bool])]
    )
    func requests(most: [Int64?], areKept: [Bool]) throws {
        var kept = KeepAlive()
        let results = try most.map { kept.note(try #require(field($0.map { ["max=\($0)"] } ?? []))) }
        #expect(results == areKept)
    }
}
