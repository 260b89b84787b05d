#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import CoreNetKitWire

    @Suite(
        "Wire: the same response over HTTP/1.1 and HTTP/2",
        .timeLimit(.minutes(10)),
        .paced,
        .enabled(if: HTTP2Session.isAvailable, "nghttp2 is not installed")
    )
    struct AlikeTests {
        /// What does not depend on the version: no reason, and nothing of HTTP/1.1's framing.
        private static func outcome(_ row: AlikeResponse, _ peer: RawPeer, _ transport: CurlTransport) async
            -> ExchangeOutcome
        {
            let request = TransportRequest(method: row.method, url: peer.url, timeouts: .patient)
            let outcome = await ExchangeOutcome(request, transport)
            guard case .response(var response) = outcome else { return outcome }
            (response.reason, response.isDelimited) = ("", true)
            response.fields.removeAll { $0.hasPrefix("transfer-encoding: ") }
            return .response(response)
        }

        @Test(
            "has the same result, or HTTP/2 refuses it by a section",
            arguments: AlikeResponse.contents + AlikeResponse.heads
        )
        func alike(_ row: AlikeResponse) async throws {
            let first = try RawPeer { _, connection in row.play(onHTTP1: connection) }
            let second = try RawPeer { _, connection in row.play(onHTTP2: connection) }
            let expected = await Self.outcome(row, first, CurlTransport())
            let outcome = await Self.outcome(row, second, .plainHTTP2)
            if let section = row.differs {
                #expect(outcome.code == section.code && outcome != expected, "\(section.rawValue): \(expected)")
            } else {
                #expect(outcome == expected)
            }
        }
    }

    /// A response as both versions of HTTP can send it, and the section by which they are known to differ.
    struct AlikeResponse: Sendable, CustomTestStringConvertible {
        typealias Fields = [(String, String)]

        /// Why HTTP/2 refuses what HTTP/1.1 reads.
        enum Section: String, Sendable {
            case content =
                "RFC 9113, 8.1.1: content that its head does not allow is malformed; RFC 9112, 6.3: it is no part of it"
            case length = "RFC 9113, 8.1.1: content of another length is malformed; RFC 9112, 8: the connection was cut"
            case equalLengths = "RFC 9110, 8.6: a recipient may refuse a length that is repeated"
            case names = "RFC 9113, 8.2: names have no upper-case letters"
            case spaces = "RFC 9113, 8.2.1: no white space around a value; RFC 9112, 5: it is left out"
            /// nghttp2's decoder of fields has no room for more; the tables of the connection are then out of step.
            case fieldSize = "RFC 9113, 10.5.1: how large a field may be is up to the recipient"
            case connection = "RFC 9113, 8.2.2: fields about a connection of HTTP/1.1 are malformed"

            var code: TransportError.Code { self == .fieldSize ? .connectionLost : .invalidResponse }
        }

        let name: String
        let method: HTTPMethod
        let interim: [Fields]
        let status: String
        let fields: Fields
        let content: [UInt8]
        let trailers: Fields
        let isCut: Bool
        let differs: Section?

        init(
            _ name: String,
            to method: HTTPMethod = .get,
            interim: [Fields] = [],
            status: String = "200",
            _ fields: Fields = [],
            _ content: String = "",
            trailers: Fields = [],
            isCut: Bool = false,
            differs: Section? = nil
        ) {
            (self.name, self.method, self.interim, self.status) = (name, method, interim, status)
            (self.fields, self.trailers, self.isCut, self.differs) = (fields, trailers, isCut, differs)
            self.content = content.scalarBytes
        }

        var testDescription: String { name }

        func play(onHTTP1 connection: RawPeer.Connection) {
            guard connection.head() != nil else { return }
            var text = interim.map { Self.head("103", $0) }.joined()
            guard !trailers.isEmpty else {
                return connection.write((text + Self.head(status, fields)).scalarBytes + content)
            }
            text += Self.head(status, fields + [("transfer-encoding", "chunked")])
            let size = String(content.count, radix: 16)
            let end = "\r\n0\r\n" + trailers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
            connection.write((text + size + "\r\n").scalarBytes + content + end.scalarBytes)
        }

        private static func head(_ status: String, _ fields: Fields) -> String {
            "HTTP/1.1 \(status) \r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
        }

        func play(onHTTP2 connection: RawPeer.Connection) {
            guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
            for fields in interim { peer.head(103, fields, on: stream) }
            let head = status.isEmpty ? fields : [(":status", status)] + fields
            peer.send(head, on: stream, ends: content.isEmpty && trailers.isEmpty && !isCut)
            if !content.isEmpty {
                let flags = trailers.isEmpty && !isCut ? HTTP2Peer.end : 0
                peer.send(HTTP2Peer.Kind.data, flags: flags, on: stream, payload: content)
            }
            if !trailers.isEmpty { peer.send(trailers, on: stream, ends: true) }
            if !isCut { connection.awaitEnd() }
        }
    }

    extension AlikeResponse {
        private static let gzip = String(scalars: Gzip.zeros(100))
        private static func long(_ count: Int) -> String { String(repeating: "v", count: count) }

        private static func same(_ count: Int) -> Fields { Array(repeating: ("a", "b"), count: count) }
        private static let empty = [Fields](repeating: [], count: 120)
        private static func large(_ count: Int) -> Fields {
            Fields(repeating: ("a", long(20_000)), count: count) + [("content-length", "0")]
        }

        static let contents: [AlikeResponse] = [
            .init("content with its length", [("content-length", "3")], "abc"),
            .init("content without a length", [], "abc"), .init("no content", [("content-length", "0")]),
            .init("a refusal with content", status: "404", [("content-length", "3")], "abc"),
            .init("an error of a server with content", status: "503", [("retry-after", "5")], "abc"),
            .init("204", status: "204", [("a", "b")]),
            .init("204 with content", status: "204", [], "abc", differs: .content),
            .init("304 with a length", status: "304", [("content-length", "9"), ("etag", "\"a\"")]),
            .init("304 with content", status: "304", [("content-length", "3")], "abc", differs: .content),
            .init("HEAD with a length", to: .head, [("content-length", "9")]),
            .init("HEAD with content", to: .head, [("content-length", "3")], "abc", differs: .content),
            .init("trailers", [("a", "b")], "abc", trailers: [("digest", "x"), ("c", "d")]),
            .init("an interim response", interim: [[("link", "</a>")]], [("content-length", "3")], "abc"),
            .init("120 interim responses", interim: empty, [("content-length", "0")]),
            .init("content that is cut", [("content-length", "9")], "abc", isCut: true),
            .init("content shorter than its length", [("content-length", "9")], "abc", differs: .length),
            .init("content longer than its length", [("content-length", "2")], "abc", differs: .content),
            .init("gzip", [("content-encoding", "gzip")], gzip),
            .init("gzip that is cut", [("content-encoding", "gzip")], String(gzip.unicodeScalars.dropLast(9))),
            .init("gzip that is none", [("content-encoding", "gzip"), ("content-length", "3")], "abc"),
            .init("gzip of nothing", [("content-encoding", "gzip"), ("content-length", "0")]),
            .init("an unknown coding", [("content-encoding", "odd")], "abc"),
            .init("identity", [("content-encoding", "identity")], "abc"),
        ]

        static let heads: [AlikeResponse] = [
            .init("equal lengths", [("content-length", "3"), ("content-length", "3")], "abc", differs: .equalLengths),
            .init("a list of equal lengths", [("content-length", "3, 3")], "abc", differs: .equalLengths),
            .init("lengths that differ", [("content-length", "3"), ("content-length", "4")], "abc"),
            .init("a length with a letter", [("content-length", "3x")], "abc"),
            .init("a length below zero", [("content-length", "-3")], "abc"),
            .init("an empty length", [("content-length", "")], "abc"),
            .init("a name with upper-case letters", [("X-Odd", "a"), ("content-length", "0")], differs: .names),
            .init("a name with a space", [("x odd", "a"), ("content-length", "0")]),
            .init("a name with a control", [("x\u{1}", "a"), ("content-length", "0")]),
            .init("no name", [("", "a"), ("content-length", "0")]),
            .init("a value of other bytes", [("a", "\u{E4}\u{FF}\u{80}"), ("content-length", "0")]),
            .init("a value in UTF-8", [("a", "\u{C3}\u{A4}"), ("content-length", "0")]),
            .init("a value with a tab", [("a", "b\tc"), ("content-length", "0")]),
            .init("a value in spaces", [("a", " b "), ("content-length", "0")], differs: .spaces),
            .init("an empty value", [("a", ""), ("content-length", "0")]),
            .init("a value with NUL", [("a", "b\u{0}c"), ("content-length", "0")]),
            .init("a value with a control", [("a", "b\u{1}c"), ("content-length", "0")]),
            .init("a value with DEL", [("a", "b\u{7F}c"), ("content-length", "0")]),
            .init("a value with CR", [("a", "b\rc"), ("content-length", "0")]),
            .init(
                "fields of one name",
                [("set-cookie", "a=b"), ("x", "y"), ("set-cookie", "c=d"), ("content-length", "0")]
            ),
            .init("Connection", [("connection", "close"), ("content-length", "0")], differs: .connection),
            .init("Keep-Alive", [("keep-alive", "timeout=5"), ("content-length", "0")], differs: .connection),
            .init("Upgrade", [("upgrade", "h2c"), ("content-length", "0")], differs: .connection),
            .init("no status", status: "", [("content-length", "0")]),
            .init("a status of two digits", status: "99", [("content-length", "0")]),
            .init("a status of four digits", status: "2000", [("content-length", "0")]),
            .init("a status with a letter", status: "2x0", [("content-length", "0")]),
            .init("status 000", status: "000", [("content-length", "0")]),
            .init("status 099", status: "099", [("content-length", "0")]),
            .init("status 101", status: "101", [("upgrade", "x")]),
            .init("status 600", status: "600", [("content-length", "3")], "abc"),
            .init("status 999", status: "999", [("content-length", "3")], "abc"),
            .init("a field of 60 KiB", [("a", long(60 << 10)), ("content-length", "0")]),
            .init("a field of 90 KiB", [("a", long(90 << 10)), ("content-length", "0")], differs: .fieldSize),
            .init("a large head", large(45)), .init("a head beyond the limit", large(60)),
            .init("many fields", same(5000)), .init("fields beyond the limit", same(20_000)),
            .init("interim heads beyond the limit", interim: large(60).dropLast().map { [$0] }, [], "abc"),
        ]
    }
#endif
