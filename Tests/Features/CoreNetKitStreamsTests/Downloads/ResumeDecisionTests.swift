import TestSupport

@testable import CoreNetKitStreams

@Suite("Downloads: the table of resumption", .timeLimit(.minutes(10)), .paced)
struct ResumeDecisionTests {
    private struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        var headers: Headers = [:]
        let decision: ResumeDecision

        init(
            _ name: String,
            _ status: Int,
            range: String? = nil,
            tag: String? = "\"a\"",
            length: String? = nil,
            _ decision: ResumeDecision
        ) {
            (testDescription, self.status, self.decision) = (name, status, decision)
            (headers["Content-Range"], headers["ETag"], headers["Content-Length"]) = (range, tag, length)
        }
    }

    private static let held = HeldContent(size: 100, total: 1000, validator: .tag("\"a\""))
    private static let rest = "bytes 100-999/1000"

    private static let rows: [Row] = [
        Row("the rest is appended", 206, range: rest, .write(at: 100, total: 1000)),
        Row("a total that is not known is the known one", 206, range: "bytes 100-999/*", .write(at: 100, total: 1000)),
        Row("a part that begins before is written there", 206, range: "bytes 64-999/1000", .write(at: 64, total: 1000)),
        Row("206 may be the whole", 206, range: "bytes 0-999/1000", .write(at: 0, total: 1000)),
        Row("less than asked for is fine", 206, range: "bytes 100-199/1000", .write(at: 100, total: 1000)),
        Row("a gap", 206, range: "bytes 101-999/1000", .startOver("206 from byte 101, but there are 100 bytes")),
        Row("206 without a range", 206, .startOver("206 without a usable Content-Range")),
        Row("206 with nonsense", 206, range: "bytes 100-99/1000", .startOver("206 without a usable Content-Range")),
        Row("206 of another version", 206, range: rest, tag: "\"b\"", .startOver("206 of another version")),
        Row("206 of a weak version", 206, range: rest, tag: "W/\"a\"", .startOver("206 of another version")),
        Row("206 of another size", 206, range: "bytes 100-998/999", .startOver("206 of another size")),
        Row("206 without a tag, same size", 206, range: rest, tag: nil, .write(at: 100, total: 1000)),
        Row("206 without a tag and size", 206, range: "bytes 100-999/*", tag: nil, .startOver("206 without validator")),
        Row("200 is the whole", 200, length: "500", .write(at: 0, total: 500)),
        Row("200 without a length", 200, .write(at: 0, total: nil)),
        Row("200 with a length that is none", 200, length: "x", .write(at: 0, total: nil)),
        Row("200 with a range lies", 200, range: rest, .startOver("200 with Content-Range")),
        Row("412", 412, .startOver("412")),
        Row("416 of another size", 416, range: "bytes */99", .startOver("416")),
        Row("416 without a size", 416, .startOver("416")),
        Row("404", 404, .pass), Row("403", 403, .pass), Row("410", 410, .pass), Row("500", 500, .pass),
        Row("204", 204, .pass),
    ]

    @Test("each response has its row", arguments: rows)
    private func decides(_ row: Row) {
        #expect(ResumeDecision(held: Self.held, status: row.status, headers: row.headers) == row.decision)
    }

    @Test("416 with the existing size means that everything is there")
    func complete() {
        let whole = HeldContent(size: 1000, total: 1000, validator: .tag("\"a\""))
        let headers: Headers = ["Content-Range": "bytes */1000"]
        #expect(ResumeDecision(held: whole, status: 416, headers: headers) == .complete(total: 1000))
        let unknown = HeldContent(size: 1000, validator: .tag("\"a\""))
        #expect(ResumeDecision(held: unknown, status: 416, headers: headers) == .complete(total: 1000))
        #expect(ResumeDecision(held: HeldContent(), status: 416, headers: headers) == .startOver("416"))
    }

    @Test("a part without a validator is not requested, and a 206 then is invalid")
    func withoutValidator() {
        let held = HeldContent(size: 100, total: 1000)
        #expect(held.fields.isEmpty)
        let headers: Headers = ["Content-Range": "bytes 100-999/1000"]
        #expect(ResumeDecision(held: held, status: 206, headers: headers) == .startOver("206 without a range request"))
        #expect(Self.held.fields == ["Range": "bytes=100-", "If-Range": "\"a\""])
    }

    @Test(
        "a Content-Range is read by its grammar",
        arguments: [
            ("bytes 0-0/1", 0...0, 1), ("BYTES 5-9/*", 5...9, nil), ("bytes  1-2/3", 1...2, 3),
        ] as [(String, ClosedRange<Int64>, Int64?)]
    )
    func ranges(_ text: String, _ bytes: ClosedRange<Int64>, _ total: Int64?) {
        let headers: Headers = ["Content-Range": text]
        #expect(ContentRange(headers) == ContentRange(Range(bytes), of: total))
        #expect(ContentRange.totalOfNone(headers) == nil)
        #expect(ContentRange.totalOfNone(["Content-Range": "bytes */7"]) == 7)
    }

    @Test(
        "a false Content-Range is ignored",
        arguments: [
            "", "bytes", "bytes 1-0/2", "bytes 0-1/1", "bytes 0-5/5", "bytes -1-2/5", "bytes 0-/5", "bytes +0-1/5",
            "items 0-1/5", "bytes 0-1", "bytes 0-1/", "bytes 0-99999999999999999999/*", "bytes 0-1/2/3", "bytes a-b/c",
            "bytes 0-9223372036854775807/*", "bytes */*", "bytes 0-1/2, bytes 2-3/4",
        ]
    )
    func badRanges(_ text: String) {
        #expect(ContentRange(["Content-Range": text]) == nil)
        #expect(ContentRange.totalOfNone(["Content-Range": text]) == nil)
    }

    @Test("only a strong validator proves that bytes are the same")
    func validators() {
        let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:38 GMT")
        #expect(DownloadValidator(["ETag": "\"x\""]) == .tag("\"x\""))
        #expect(DownloadValidator(["Last-Modified": date, "Date": later]) == .date(date))
        let weak: [Headers] = [
            ["ETag": "W/\"x\"", "Last-Modified": date], ["Last-Modified": date, "Date": date],
            ["Last-Modified": date], ["Last-Modified": "yesterday"],
        ]
        #expect(weak.compactMap { DownloadValidator($0) } == [])
    }

    @Test("a Repr-Digest is found among others")
    func digests() {
        let digest = SHA256.digest(Array("x".utf8))
        let text = Data(digest).base64EncodedString()
        for good in ["sha-512=:AAAA:, sha-256=:\(text):", "sha-256=:\(text):;x=1"] {
            #expect(Headers([("Repr-Digest", good)]).reprDigest == digest)
        }
        for bad in ["", "sha-256=\(text)", "sha-256=:AAAA:", "sha-256", "md5=:\(text):", "sha-256=:\(text)"] {
            #expect(Headers([("Repr-Digest", bad)]).reprDigest == nil, "\(bad)")
        }
    }
}
