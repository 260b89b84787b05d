#if os(Linux)
    @testable import CoreNetKitCurl
    import TestSupport

    @Suite("The wire: the same bytes, collected and streamed", .timeLimit(.minutes(10)), .paced)
    struct DifferentialTests {
        @Test("each has a name of its own")
        func names() {
            let rows = PlayedResponse.all
            #expect(Set(rows.map(\.name)).count == rows.count)
        }

        @Test("a stream has the same content as a collected response")
        func sameStream() async throws {
            let rows = PlayedResponse.all
            let peer = try PlayedResponse.peer()
            let own = CurlTransport.made()
            for (index, row) in rows.enumerated() {
                let place = url(peer.url.absoluteString + "\(index)")
                var request = TransportRequest(method: row.method, url: place, timeouts: .patient)
                let collected = await ExchangeOutcome(request, own)
                request.delivery = .stream
                #expect(collected == (await ExchangeOutcome(request, own)), "\(row.name)")
            }
        }
    }

    struct PlayedResponse: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let method: HTTPMethod

        init(_ name: String, _ text: String, _ method: HTTPMethod = .get) {
            (self.name, self.text, self.method) = (name, text, method)
        }

        var testDescription: String { name }
        /// One byte for each scalar: non-ASCII is Latin-1 here.
        var bytes: [UInt8] { text.scalarBytes }
    }

    extension PlayedResponse {
        private static let ok = "HTTP/1.1 200 OK\r\n"
        private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
        private static let gzip = String(scalars: Gzip.zeros(100))
        /// The ends of heads, with content.
        private static let nothing = "\r\nContent-Length: 0\r\n\r\n"
        private static let two = "\r\nContent-Length: 2\r\n\r\nok"
        private static let oneChunk = "\r\n\r\n1\r\na\r\n0\r\n\r\n"

        /// Rows that differ by what stands between two texts.
        private static func rows(_ start: String, _ parts: [(String, String)], _ end: String) -> [PlayedResponse] {
            parts.map { name, part in PlayedResponse(name, start + part + end) }
        }

        private static let right: [PlayedResponse] = [
            .init("length", ok + "Content-Length: 5\r\nX-A: b\r\n\r\nhello"),
            .init("chunks", chunked + "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 13\r\n\r\n"),
            .init("interim", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK" + two),
            .init("close", "HTTP/1.0 200 OK\r\nX: y\r\n\r\nall of it"),
            .init("gzip", ok + "Content-Encoding: gzip\r\nContent-Length: \(gzip.unicodeScalars.count)\r\n\r\n" + gzip),
        ]

        private static let framings: [PlayedResponse] = [
            .init("no content", "HTTP/1.1 200 OK" + nothing), .init("no length, no content", ok + "\r\n"),
            .init("lower-case names", "HTTP/1.1 200 ok\r\ncontent-length: 2\r\n\r\nok"),
            .init("LF alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
            .init("equal lengths", ok + "Content-Length: 2" + two),
            .init("more than its length", "HTTP/1.1 200 OK" + two + "wrong"),
            .init("zeros, capitals and trailers", chunked + "0003\r\nabc\r\nC\r\n012345678901\r\n00\r\nA: b\r\n\r\n"),
            .init("chunks, more behind them", chunked + "1\r\na\r\n0\r\n\r\nwrong"),
            .init("HTTP/1.0, chunked", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked" + oneChunk),
            .init("204 with content", "HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\nabc"),
            .init("304 with a length", "HTTP/1.1 304 Same\r\nContent-Length: 3\r\n\r\n"),
            .init("304, chunked", "HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .init("HEAD with a length", ok + "Content-Length: 7\r\n\r\n", .head),
            .init("HEAD, chunked", chunked, .head),
            .init("HEAD with content", ok + "Content-Length: 3\r\n\r\nabc", .head),
            .init("an error with content", "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 3\r\n\r\nabc"),
            .init("status 299", "HTTP/1.1 299 Odd" + nothing),
            .init(
                "several interim ones",
                "HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 102 X\r\nA: b\r\n\r\nHTTP/1.1 200 OK" + nothing
            ),
            .init("interim with a length", "HTTP/1.1 103 X\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK" + two),
            .init("nothing behind an interim one", "HTTP/1.1 100 Go\r\n\r\n"),
            .init("gzip to the close", ok + "Content-Encoding: gzip\r\n\r\n" + gzip),
            .init("a coding that nobody knows", ok + "Content-Encoding: odd\r\nContent-Length: 3\r\n\r\nabc"),
            .init("broken gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
            .init("identity", ok + "Content-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc"),
            .init("gzip, chunked", ok + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + oneGzip),
        ]

        private static let oneGzip = "\(String(gzip.unicodeScalars.count, radix: 16))\r\n\(gzip)\r\n0\r\n\r\n"

        private static let lengths =
            rows(
                ok + "Content-Length: ",
                [
                    ("a list of equal lengths", "5, 5"), ("a length with a sign", "+5"), ("a length below zero", "-5"),
                    ("a length with a letter", "5x"), ("a hexadecimal length", "0x5"), ("a folded length", "5\r\n 5"),
                    ("a length beyond Int64", "9223372036854775808"),
                ],
                "\r\n\r\nabcde"
            ) + [
                .init(
                    "lengths that differ, the longer first",
                    ok + "Content-Length: 6\r\nContent-Length: 5\r\n\r\nabcdef"
                ),
                .init(
                    "lengths that differ, the other first",
                    ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"
                ),
                .init("a list of lengths that differ", ok + "Content-Length: 5, 6\r\n\r\nabcdef"),
                .init("an empty length", ok + "Content-Length:\r\n\r\nabcde"),
            ]

        private static let codings =
            rows(
                ok + "Transfer-Encoding: ",
                [
                    ("chunks and a length", "chunked\r\nContent-Length: 9"), ("chunked with a tab", "\tchunked"),
                    ("chunks and a wrong length", "chunked\r\nContent-Length: x"),
                    ("chunked twice", "chunked, chunked"),
                    ("chunked in two fields", "chunked\r\nTransfer-Encoding: chunked"),
                    ("gzip as transfer coding", "gzip, chunked"), ("chunked with a letter behind it", "chunkedx"),
                ],
                oneChunk
            ) + [
                .init("a length and chunks", ok + "Content-Length: 9\r\nTransfer-Encoding: chunked" + oneChunk),
                .init("identity as transfer coding", ok + "Transfer-Encoding: identity\r\n\r\nabc"),
                .init("identity and a length", ok + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nabc"),
                .init("an unknown transfer coding", ok + "Transfer-Encoding: odd\r\n\r\nabc"),
                .init("chunked before another", ok + "Transfer-Encoding: chunked, gzip\r\n\r\nabc"),
                .init("a folded transfer coding", ok + "Transfer-Encoding:\r\n chunked" + oneChunk),
            ]

        private static let starts =
            rows(
                "",
                [
                    ("no reason", "HTTP/1.1 200"), ("empty reason", "HTTP/1.1 200 "),
                    ("HTTP/2 as text", "HTTP/2 200 OK"), ("HTTP/2.0 as text", "HTTP/2.0 200 OK"),
                    ("HTTP/3 as text", "HTTP/3 200 OK"), ("HTTP/1.2", "HTTP/1.2 200 OK"),
                    ("HTTP/0.9 as text", "HTTP/0.9 200 OK"), ("a version in small letters", "http/1.1 200 OK"),
                    ("a status of two digits", "HTTP/1.1 20 OK"), ("a status of four digits", "HTTP/1.1 2000 OK"),
                    ("a status with a letter", "HTTP/1.1 20x OK"), ("status 000", "HTTP/1.1 000 OK"),
                    ("status 099", "HTTP/1.1 099 OK"), ("status 999", "HTTP/1.1 999 OK"),
                    ("two spaces before the status", "HTTP/1.1  200 OK"),
                    ("a tab before the status", "HTTP/1.1\t200 OK"), ("an empty line first", "\r\nHTTP/1.1 200 OK"),
                ],
                two
            ) + [
                .init("nothing", ""), .init("garbage", "garbage\r\n\r\n"),
                .init("a page without a head", "<html>hello</html>"), .init("ICY", "ICY 200 OK\r\n\r\nabc"),
                .init("101 that nobody asked for", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\nabc"),
                .init("a control in the reason", "HTTP/1.1 200 O\u{1}K" + nothing),
                .init("LF and then CR", "HTTP/1.1 200 OK\n\rContent-Length: 0\r\n\r\n"),
                .init("CR CR LF", "HTTP/1.1 200 OK\r" + nothing),
            ]

        private static let fields =
            rows(
                ok,
                [
                    ("Latin-1", "X: caf\u{E9}"), ("values without spaces, and with many", "A:1\r\nB: \t 2 \t\r\nC:"),
                    ("repeated fields", "A: 1\r\na: 2\r\nSet-Cookie: x\r\nSet-Cookie: y"),
                    ("a folded line", "X: a\r\n  b\r\n\tc"), ("a folded line of nothing", "X: a\r\n "),
                    ("a long field", "X: " + String(repeating: "v", count: 90_000)),
                    ("gzip of nothing", "Content-Encoding: gzip"), ("white space before the colon", "X : a"),
                    ("a name with a space", "X Y: a"), ("no name", ": a"), ("no colon", "XYZ"),
                    ("a folded line first", " X: a"), ("a lone CR in a value", "X: a\rb"),
                    ("NUL in a value", "X: a\u{0}b"), ("NUL in a name", "X\u{0}: a"), ("DEL in a value", "X: a\u{7F}"),
                    ("a control in a value", "X: a\u{1}b"), ("a name of another character set", "X\u{E9}: a"),
                ],
                nothing
            ) + [
                .init("white space before the length's colon", ok + "Content-Length : 2\r\n\r\nok"),
                .init("a lone CR for the end of a line", ok + "X: a\rContent-Length: 0\r\n\r\n"),
            ]

        private static let sizes = rows(
            chunked,
            [
                ("no size", ""), ("a size of letters", "xyz"), ("a size with 0x", "0x3"), ("a size with a sign", "+3"),
                ("a size below zero", "-3"), ("a space before the size", " 3"), ("a space behind the size", "3 "),
                ("letters behind the size", "3x"), ("an extension with a lone CR", "3;a\rb"),
                ("an extension with NUL", "3;a\u{0}b"), ("a size of 17 digits", "00000000000000003"),
            ],
            "\r\nabc\r\n0\r\n\r\n"
        )

        private static let chunks = rows(
            chunked,
            [
                ("an extension", "3 ; a=\"b;c\"\r\nabc\r\n0;x\r\n\r\n"), ("LF behind the size", "3\nabc\r\n0\r\n\r\n"),
                ("LF behind the data", "3\r\nabc\n0\r\n\r\n"), ("longer than its size", "3\r\nabcd\r\n0\r\n\r\n"),
                ("shorter than its size", "4\r\nabc\r\n0\r\n\r\n"), ("a size beyond Int64", "8000000000000000\r\nabc"),
                ("a huge size, cut", "7fffffffffffffff\r\nabc"), ("no last chunk", "3\r\nabc\r\n"),
                ("no empty line at the end", "3\r\nabc\r\n0\r\n"), ("a trailer without a colon", "0\r\nabc\r\n\r\n"),
                ("a trailer with a control", "0\r\nA: b\u{1}\r\n\r\n"), ("a folded trailer", "0\r\nA: b\r\n c\r\n\r\n"),
                ("trailers that say how long it was", "1\r\na\r\n0\r\nContent-Length: 9\r\n\r\n"),
                ("trailers that name a coding", "1\r\na\r\n0\r\nContent-Encoding: gzip\r\n\r\n"),
            ],
            ""
        )

        static let all = right + framings + lengths + codings + starts + fields + sizes + chunks

        /// Sends the one whose number is the first part of the path.
        static func peer() throws -> RawPeer {
            let rows = all
            return try RawPeer { _, connection in
                guard let head = connection.head() else { return }
                let numbers = head.split(separator: " ")[1].split(separator: "/").compactMap { Int($0) }
                connection.write(rows[numbers[0]].bytes)
            }
        }
    }
#endif
