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
        var bytes: [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    }

    extension PlayedResponse {
        private static let ok = "HTTP/1.1 200 OK\r\n"
        private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
        private static let gzip = String(
            String.UnicodeScalarView(
                [
                    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46,
                    78, 77, 81, 40, 207, 47, 202, 73, 1, 0, 8, 158, 52, 53, 23, 0, 0, 0,
                ].map { Unicode.Scalar($0 as UInt8) }
            )
        )

        /// Correct messages, each of whose beginnings is played as well.
        static let right: [PlayedResponse] = [
            .init("length", ok + "Content-Length: 5\r\nX-A: b\r\n\r\nhello"),
            .init("chunks", chunked + "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nX-Sum: 13\r\n\r\n"),
            .init("interim", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok"),
            .init("close", "HTTP/1.0 200 OK\r\nX: y\r\n\r\nall of it"),
            .init("gzip", ok + "Content-Encoding: gzip\r\nContent-Length: \(gzip.unicodeScalars.count)\r\n\r\n" + gzip),
        ]

        static let framings: [PlayedResponse] = [
            .init("no content", ok + "Content-Length: 0\r\n\r\n"), .init("no length, no content", ok + "\r\n"),
            .init("lower-case names", "HTTP/1.1 200 ok\r\ncontent-length: 2\r\n\r\nok"),
            .init("LF alone", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
            .init("no reason", "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok"),
            .init("empty reason", "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"),
            .init("Latin-1", ok + "X: caf\u{E9}\r\nContent-Length: 0\r\n\r\n"),
            .init("values without spaces, and with many", ok + "A:1\r\nB: \t 2 \t\r\nC:\r\nContent-Length: 0\r\n\r\n"),
            .init(
                "repeated fields",
                ok + "A: 1\r\na: 2\r\nSet-Cookie: x\r\nSet-Cookie: y\r\nContent-Length: 0\r\n\r\n"
            ),
            .init("equal lengths", ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"),
            .init("more than its length", ok + "Content-Length: 2\r\n\r\nokwrong"),
            .init(
                "chunks with zeros, capitals and trailers",
                chunked + "0003\r\nabc\r\nC\r\n012345678901\r\n00\r\nA: b\r\n\r\n"
            ),
            .init("chunks, more behind them", chunked + "1\r\na\r\n0\r\n\r\nwrong"),
            .init("HTTP/1.0, chunked", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            .init("204 with content", "HTTP/1.1 204 None\r\nContent-Length: 3\r\n\r\nabc"),
            .init("304 with a length", "HTTP/1.1 304 Same\r\nContent-Length: 3\r\n\r\n"),
            .init("304, chunked", "HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .init("HEAD with a length", ok + "Content-Length: 7\r\n\r\n", .head),
            .init("HEAD, chunked", ok + "Transfer-Encoding: chunked\r\n\r\n", .head),
            .init("HEAD with content", ok + "Content-Length: 3\r\n\r\nabc", .head),
            .init("an error with content", "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 3\r\n\r\nabc"),
            .init("status 299", "HTTP/1.1 299 Odd\r\nContent-Length: 0\r\n\r\n"),
            .init(
                "several interim ones",
                "HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 102 X\r\nA: b\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n"
            ),
            .init(
                "gzip, chunked",
                chunked.replacing("\r\n\r\n", with: "\r\nContent-Encoding: gzip\r\n\r\n") + "2b\r\n" + gzip
                    + "\r\n0\r\n\r\n"
            ),
            .init("gzip to the close", ok + "Content-Encoding: gzip\r\n\r\n" + gzip),
            .init("a coding that nobody knows", ok + "Content-Encoding: odd\r\nContent-Length: 3\r\n\r\nabc"),
            .init("broken gzip", ok + "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"),
            .init("gzip of nothing", ok + "Content-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"),
            .init("identity", ok + "Content-Encoding: identity\r\nContent-Length: 3\r\n\r\nabc"),
            .init("a folded line", ok + "X: a\r\n  b\r\n\tc\r\nContent-Length: 0\r\n\r\n"),
            .init("a folded line of nothing", ok + "X: a\r\n \r\nContent-Length: 0\r\n\r\n"),
            .init(
                "a field of a megabyte",
                ok + "X: " + String(repeating: "v", count: 90_000) + "\r\nContent-Length: 0\r\n\r\n"
            ),
        ]

        static let conflicts: [PlayedResponse] = [
            .init("lengths that differ, the longer first", ok + "Content-Length: 6\r\nContent-Length: 5\r\n\r\nabcdef"),
            .init(
                "lengths that differ, the shorter first",
                ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef"
            ),
            .init("a list of lengths that differ", ok + "Content-Length: 5, 6\r\n\r\nabcdef"),
            .init("a list of equal lengths", ok + "Content-Length: 5, 5\r\n\r\nabcde"),
            .init("a length with a sign", ok + "Content-Length: +5\r\n\r\nabcde"),
            .init("a length below zero", ok + "Content-Length: -5\r\n\r\nabcde"),
            .init("a length with a letter", ok + "Content-Length: 5x\r\n\r\nabcde"),
            .init("a hexadecimal length", ok + "Content-Length: 0x5\r\n\r\nabcde"),
            .init("an empty length", ok + "Content-Length:\r\n\r\nabcde"),
            .init("a length beyond Int64", ok + "Content-Length: 9223372036854775808\r\n\r\nabcde"),
            .init(
                "a length and chunks",
                ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
            ),
            .init(
                "chunks and a length",
                ok + "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n\r\n1\r\na\r\n0\r\n\r\n"
            ),
            .init(
                "chunks and a wrong length",
                ok + "Transfer-Encoding: chunked\r\nContent-Length: x\r\n\r\n1\r\na\r\n0\r\n\r\n"
            ),
            .init("identity as transfer coding", ok + "Transfer-Encoding: identity\r\n\r\nabc"),
            .init("identity and a length", ok + "Transfer-Encoding: identity\r\nContent-Length: 2\r\n\r\nabc"),
            .init("an unknown transfer coding", ok + "Transfer-Encoding: odd\r\n\r\nabc"),
            .init("chunked twice", ok + "Transfer-Encoding: chunked, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            .init(
                "chunked in two fields",
                ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"
            ),
            .init("gzip as transfer coding", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            .init("chunked before another", ok + "Transfer-Encoding: chunked, gzip\r\n\r\nabc"),
            .init("chunked with a tab", ok + "Transfer-Encoding: \tchunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            .init("chunked with a letter behind it", ok + "Transfer-Encoding: chunkedx\r\n\r\n1\r\na\r\n0\r\n\r\n"),
            .init("a folded length", ok + "Content-Length: 5\r\n 5\r\n\r\nabcde"),
            .init("a folded transfer coding", ok + "Transfer-Encoding:\r\n chunked\r\n\r\n1\r\na\r\n0\r\n\r\n"),
        ]

        static let heads: [PlayedResponse] = [
            .init("nothing", ""), .init("garbage", "garbage\r\n\r\n"),
            .init("a page without a head", "<html>hello</html>"), .init("ICY", "ICY 200 OK\r\n\r\nabc"),
            .init("HTTP/2 as text", "HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("HTTP/2.0 as text", "HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("HTTP/3 as text", "HTTP/3 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("HTTP/1.2", "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("HTTP/0.9 as text", "HTTP/0.9 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("a version in small letters", "http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("a status of two digits", "HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("a status with a letter", "HTTP/1.1 20x OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("status 000", "HTTP/1.1 000 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("status 099", "HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("status 999", "HTTP/1.1 999 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("two spaces before the status", "HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("a tab before the status", "HTTP/1.1\t200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("an empty line first", "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            .init("101 that nobody asked for", "HTTP/1.1 101 Go\r\nUpgrade: x\r\n\r\nabc"),
            .init("white space before the colon", ok + "X : a\r\nContent-Length: 0\r\n\r\n"),
            .init("white space before the length's colon", ok + "Content-Length : 2\r\n\r\nok"),
            .init("a name with a space", ok + "X Y: a\r\nContent-Length: 0\r\n\r\n"),
            .init("no name", ok + ": a\r\nContent-Length: 0\r\n\r\n"),
            .init("no colon", ok + "XYZ\r\nContent-Length: 0\r\n\r\n"),
            .init("a folded line first", ok + " X: a\r\nContent-Length: 0\r\n\r\n"),
            .init("a lone CR in a value", ok + "X: a\rb\r\nContent-Length: 0\r\n\r\n"),
            .init("a lone CR for the end of a line", ok + "X: a\rContent-Length: 0\r\n\r\n"),
            .init("NUL in a value", ok + "X: a\u{0}b\r\nContent-Length: 0\r\n\r\n"),
            .init("NUL in a name", ok + "X\u{0}: a\r\nContent-Length: 0\r\n\r\n"),
            .init("DEL in a value", ok + "X: a\u{7F}\r\nContent-Length: 0\r\n\r\n"),
            .init("a control in a value", ok + "X: a\u{1}b\r\nContent-Length: 0\r\n\r\n"),
            .init("a control in the reason", "HTTP/1.1 200 O\u{1}K\r\nContent-Length: 0\r\n\r\n"),
            .init("a name of another character set", ok + "X\u{E9}: a\r\nContent-Length: 0\r\n\r\n"),
            .init("LF and then CR", "HTTP/1.1 200 OK\n\rContent-Length: 0\r\n\r\n"),
            .init("CR CR LF", "HTTP/1.1 200 OK\r\r\nContent-Length: 0\r\n\r\n"),
            .init(
                "an interim one with a length",
                "HTTP/1.1 103 X\r\nContent-Length: 5\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nok"
            ),
            .init("nothing behind an interim one", "HTTP/1.1 100 Go\r\n\r\n"),
        ]

        static let chunks: [PlayedResponse] = [
            .init("no size", chunked + "\r\nabc\r\n0\r\n\r\n"),
            .init("a size of letters", chunked + "xyz\r\nabc\r\n0\r\n\r\n"),
            .init("a size with 0x", chunked + "0x3\r\nabc\r\n0\r\n\r\n"),
            .init("a size with a sign", chunked + "+3\r\nabc\r\n0\r\n\r\n"),
            .init("a size below zero", chunked + "-3\r\nabc\r\n0\r\n\r\n"),
            .init("a space before the size", chunked + " 3\r\nabc\r\n0\r\n\r\n"),
            .init("a space behind the size", chunked + "3 \r\nabc\r\n0\r\n\r\n"),
            .init("letters behind the size", chunked + "3x\r\nabc\r\n0\r\n\r\n"),
            .init("an extension", chunked + "3 ; a=\"b;c\"\r\nabc\r\n0;x\r\n\r\n"),
            .init("an extension with a lone CR", chunked + "3;a\rb\r\nabc\r\n0\r\n\r\n"),
            .init("an extension with NUL", chunked + "3;a\u{0}b\r\nabc\r\n0\r\n\r\n"),
            .init("LF behind the size", chunked + "3\nabc\r\n0\r\n\r\n"),
            .init("LF behind the data", chunked + "3\r\nabc\n0\r\n\r\n"),
            .init("longer than its size", chunked + "3\r\nabcd\r\n0\r\n\r\n"),
            .init("shorter than its size", chunked + "4\r\nabc\r\n0\r\n\r\n"),
            .init("a size beyond Int64", chunked + "8000000000000000\r\nabc"),
            .init("a size of 17 digits", chunked + "00000000000000003\r\nabc\r\n0\r\n\r\n"),
            .init("a huge size, cut", chunked + "7fffffffffffffff\r\nabc"),
            .init("no last chunk", chunked + "3\r\nabc\r\n"),
            .init("no empty line at the end", chunked + "3\r\nabc\r\n0\r\n"),
            .init("a trailer without a colon", chunked + "0\r\nabc\r\n\r\n"),
            .init("a trailer with a control", chunked + "0\r\nA: b\u{1}\r\n\r\n"),
            .init("a folded trailer", chunked + "0\r\nA: b\r\n c\r\n\r\n"),
            .init("trailers that say how long it was", chunked + "1\r\na\r\n0\r\nContent-Length: 9\r\n\r\n"),
            .init("trailers that name a coding", chunked + "1\r\na\r\n0\r\nContent-Encoding: gzip\r\n\r\n"),
        ]

        static let all = right + framings + conflicts + heads + chunks

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
