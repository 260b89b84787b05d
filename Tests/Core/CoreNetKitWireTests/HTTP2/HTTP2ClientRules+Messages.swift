#if os(Linux)
    extension HTTP2ClientRule {
        private static let malformed: [Outcome] = [.stream(.protocolError)]

        /// RFC 9113, 8.1: the order of the frames of a response, and the length of its content.
        static let messages: [HTTP2ClientRule] = order + lengths + numbers + empty

        private static let order: [HTTP2ClientRule] = [
            .init(
                "8.1",
                "a response has interim heads, one head, content and trailers",
                [.continues],
                events: ["interim 103", "interim 100", "head 200 chunked a=b", "trailers c=d", "end", "closed 0"],
                content: "abc"
            ) {
                $0.headers(1, [(":status", "103"), ("link", "</a>")])
                $0.headers(1, [(":status", "100")])
                $0.headers(1, ok + [("a", "b")])
                $0.data(1, "abc")
                $0.headers(1, [("c", "d")], ends: true)
            },
            .init(
                "8.1",
                "trailers may follow the head",
                [.continues],
                events: ["head 200 chunked", "trailers c=d"] + done
            ) {
                $0.headers(1, ok)
                $0.headers(1, [("c", "d")], ends: true)
            },
            .init("8.1", "an interim head does not end its stream", malformed) {
                $0.headers(1, [(":status", "103")], ends: true)
            },
            .init("8.1", "content without a head is malformed", malformed + protocolError) {
                $0.data(1, "abc", ends: true)
            },
            .init("8.1", "the end without a head is malformed", malformed + protocolError) {
                $0.data(1, "", ends: true)
            },
            .init("8.1", "content after an interim head is malformed", malformed) {
                $0.headers(1, [(":status", "103")])
                $0.data(1, "abc", ends: true)
            },
            .init("8.1", "trailers end their stream", after: .responding, malformed, events: nil) {
                $0.headers(1, [("c", "d")])
            },
            .init("8.1", "a second head is malformed", after: .responding, malformed) { $0.headers(1, ok, ends: true) },
            .init("8.1", "an interim head after the head is malformed", after: .responding, malformed) {
                $0.headers(1, [(":status", "103")])
            },
            .init(
                "8.1",
                "content after trailers is an error",
                after: .responding,
                [.stream(.streamClosed), .connection(.streamClosed)],
                deviation: forgotten
            ) {
                $0.headers(1, [("c", "d")], ends: true)
                $0.data(1, "abc")
            },
            .init("8.1", "a response may come before its request is sent", after: .uploading, [.continues]) {
                $0.headers(1, ok, ends: true)
            },
        ]

        private static func length(_ text: String) -> [(String, String)] { ok + [("content-length", text)] }

        private static let lengths: [HTTP2ClientRule] = [
            .init("8.1.1", "content has the length that its head says", [.continues], content: "abcdef") {
                $0.headers(1, length("6"))
                $0.data(1, "abc")
                $0.data(1, "def", ends: true)
            },
            .init("8.1.1", "padding does not count as content", [.continues], content: "abc") {
                $0.headers(1, length("3"))
                $0.frame(0, 9, 1, [2] + Array("abc".utf8) + [0, 0])
            },
            .init("8.1.1", "shorter content is malformed", malformed) {
                $0.headers(1, length("6"))
                $0.data(1, "abc", ends: true)
            },
            .init("8.1.1", "pieces that are shorter together are malformed", malformed) {
                $0.headers(1, length("6"))
                $0.data(1, "abc")
                $0.data(1, "de", ends: true)
            },
            .init("8.1.1", "longer content is malformed", malformed) {
                $0.headers(1, length("2"))
                $0.data(1, "abc", ends: true)
            },
            .init("8.1.1", "a length without content is malformed", malformed) {
                $0.headers(1, length("6"), ends: true)
            },
            .init("8.1.1", "shorter content before trailers is malformed", malformed) {
                $0.headers(1, length("6"))
                $0.data(1, "abc")
                $0.headers(1, [("c", "d")], ends: true)
            },
            .init("8.1.1", "a length of 0 has no content", malformed) {
                $0.headers(1, length("0"))
                $0.data(1, "a", ends: true)
            },
            .init("8.1.1", "two lengths that differ are malformed", malformed) {
                $0.headers(1, length("3") + [("content-length", "4")])
                $0.data(1, "abc", ends: true)
            },
        ]

        private static let numbers = ["x", "-1", "+3", "0x3", "", "3,4", "99999999999999999999"].map { text in
            HTTP2ClientRule("8.1.1", "'\(text)' is no length", malformed) {
                $0.headers(1, length(text))
                $0.data(1, "abc", ends: true)
            }
        }

        private static let empty: [HTTP2ClientRule] = [
            .init("8.1.1", "a response to HEAD says how long its content would be", after: .askedForHead, [.continues])
            {
                $0.headers(1, length("6"), ends: true)
            },
            .init("8.1.1", "304 says how long its content would be", [.continues]) {
                $0.headers(1, [(":status", "304"), ("content-length", "6")], ends: true)
            },
            .init("RFC 9110, 9.3.2", "a response to HEAD has no content", after: .askedForHead, malformed) {
                $0.headers(1, ok)
                $0.data(1, "abc", ends: true)
            },
            .init("RFC 9110, 15.3.5", "204 has no content", malformed) {
                $0.headers(1, [(":status", "204")])
                $0.data(1, "abc", ends: true)
            },
            .init("RFC 9110, 15.4.5", "304 has no content", malformed) {
                $0.headers(1, [(":status", "304")])
                $0.data(1, "abc", ends: true)
            },
            .init("RFC 9110, 8.6", "an interim head has no length", malformed) {
                $0.headers(1, [(":status", "103"), ("content-length", "3")])
            },
            .init(
                "8.1",
                "the end may be an empty frame, also of a response to HEAD",
                after: .askedForHead,
                [.continues]
            ) {
                $0.headers(1, length("6"))
                $0.data(1, "", ends: true)
            },
        ]

        /// RFC 9113, 8.2 to 8.6: names, values and pseudo-fields.
        static let fields: [HTTP2ClientRule] =
            valid
            + invalid.map { malformed($0, $1, ok + $2) } + heads.map { malformed($0, $1, $2) }
            + trailers.map { malformed("8.1", $0, $1, after: .responding) }

        private static func malformed(
            _ section: String,
            _ title: String,
            _ fields: [(String, String)],
            after start: Start = .asked
        ) -> HTTP2ClientRule { .init(section, title, after: start, malformed) { $0.headers(1, fields, ends: true) } }

        private static let valid: [HTTP2ClientRule] = [
            .init(
                "8.2.1",
                "a value may be empty, or have bytes that are not ASCII",
                [.continues],
                events: ["head 200 chunked a= b=\u{E4} c=x y\tz", "end", "closed 0"]
            ) { $0.headers(1, ok + [("a", ""), ("b", "\u{E4}"), ("c", "x y\tz")], ends: true) },
            .init("8.3.2", "a status of 599 or beyond is a status", [.continues]) {
                $0.headers(1, [(":status", "999")], ends: true)
            },
        ]

        private static let invalid: [(String, String, [(String, String)])] = [
            ("8.2", "a name has no upper-case letter", [("Date", "a")]),
            ("8.2", "a name has no upper-case letter, not even its last one", [("datE", "a")]),
            ("8.2.1", "a name is not empty", [("", "a")]), ("8.2.1", "a name has no space", [("a b", "c")]),
            ("8.2.1", "a name has no control character", [("a\u{1}", "c")]),
            ("8.2.1", "a name has no colon but a first one", [("a:b", "c")]),
            ("8.2.1", "a name is ASCII", [("\u{E4}", "c")]),
            ("8.2.1", "a value has no NUL", [("a", "b\0c")]), ("8.2.1", "a value has no line feed", [("a", "b\nc")]),
            ("8.2.1", "a value has no carriage return", [("a", "b\rc")]),
            ("8.2.1", "a value does not begin with a space", [("a", " b")]),
            ("8.2.1", "a value does not end with a tab", [("a", "b\t")]),
            ("8.2.2", "Connection is of HTTP/1.1", [("connection", "close")]),
            ("8.2.2", "Keep-Alive is of HTTP/1.1", [("keep-alive", "timeout=5")]),
            ("8.2.2", "Proxy-Connection is of HTTP/1.1", [("proxy-connection", "close")]),
            ("8.2.2", "Transfer-Encoding is of HTTP/1.1", [("transfer-encoding", "chunked")]),
            ("8.2.2", "Upgrade is of HTTP/1.1", [("upgrade", "h2c")]),
            ("8.2.2", "TE has no other value than `trailers`", [("te", "gzip")]),
            ("8.3", "a pseudo-field is one that is defined", [(":odd", "a")]),
            ("8.3", "a response has no method", [(":method", "GET")]),
            ("8.3", "a response has no path", [(":path", "/")]),
            ("8.3", "a response has no scheme", [(":scheme", "https")]),
            ("8.3", "a response has no authority", [(":authority", "a.test")]),
            ("8.3", "a response has no protocol", [(":protocol", "websocket")]),
        ]

        private static let heads: [(String, String, [(String, String)])] = [
            ("8.3", "a pseudo-field is before all others", [("a", "b"), (":status", "200")]),
            ("8.3", "a pseudo-field is there once", [(":status", "200"), (":status", "200")]),
            ("8.3.2", "a response has a status", [("a", "b")]), ("8.3.2", "a response has a field", []),
            ("8.3.2", "a status is not empty", [(":status", "")]),
            ("8.3.2", "a status has three digits, not two", [(":status", "20")]),
            ("8.3.2", "a status has three digits, not four", [(":status", "2000")]),
            ("8.3.2", "a status has no letter", [(":status", "2x0")]),
            ("8.3.2", "a status has no reason", [(":status", "200 OK")]),
            ("8.3.2", "a status has no sign", [(":status", "+20")]),
            ("8.6", "101 is not of HTTP/2", [(":status", "101")]),
        ]

        private static let trailers: [(String, [(String, String)])] = [
            ("trailers have no status", [(":status", "200")]),
            ("trailers have no pseudo-field of a request", [(":path", "/")]),
            ("trailers have no upper-case letter", [("Digest", "a")]),
            ("trailers have no control character", [("digest", "a\0")]),
            ("trailers have no field of HTTP/1.1", [("connection", "close")]),
        ]
    }
#endif
