#if os(Linux)
    extension HTTP2ClientRule {
        static let ok = [(":status", "200")]

        /// RFC 9113, 3 to 4 and 5.5.
        static let framing: [HTTP2ClientRule] = [
            .init("3.4", "a server's first frame is SETTINGS", after: .silent, protocolError) {
                $0.frame(6, 0, 0, Array(repeating: 0, count: 8))
            },
            .init("3.4", "a server's first SETTINGS may be empty", after: .silent, [.continues]) { $0.settings() },
            .init("3.4", "a response may arrive with the first SETTINGS", after: .silent, [.continues], events: ok200) {
                $0.settings()
                $0.headers(1, ok, ends: true)
            },
            .init("4.1", "a frame of an unknown type on stream 0 is ignored", [.continues], events: []) {
                $0.frame(0xFF, 0, 0, [1, 2, 3])
            },
            .init(
                "4.1",
                "a frame of an unknown type on a stream is ignored",
                after: .responding,
                [.continues],
                events: []
            ) { $0.frame(0x20, 0xFF, 1, [1, 2, 3]) },
            .init("4.1", "flags without a meaning are ignored", [.continues]) {
                $0.frame(6, 0xFE, 0, Array("12345678".utf8))
            },
            .init("4.1", "the reserved bit is ignored", after: .responding, [.continues], content: "abc") {
                $0.frame(6, 0, Int32.min, Array("12345678".utf8))
                $0.frame(0, 0, 1 | Int32.min, Array("abc".utf8))
            },
            .init("4.2", "DATA may have 2^14 bytes", after: .responding, [.continues], content: text(1 << 14)) {
                $0.data(1, text(1 << 14))
            },
            .init("4.2", "HEADERS may have 2^14 bytes", [.continues]) {
                let block = FrameWriter.block(ok + [("a", text(16_200))])
                let padding = (1 << 14) - 1 - block.count
                $0.frame(1, 0x0D, 1, [UInt8(padding)] + block + Array(repeating: 0, count: padding))
            },
            .init("4.2", "longer DATA is an error", after: .responding, [.stream(.frameSize), .connection(.frameSize)])
            {
                $0.data(1, text(1 << 14 + 1))
            },
            .init("4.2", "longer HEADERS end the connection", frameSize) {
                $0.frame(1, 4, 1, FrameWriter.block(ok) + Array(repeating: 0, count: 1 << 14))
            },
            .init(
                "4.2",
                "longer CONTINUATION ends the connection",
                frameSize,
                deviation: Deviation(outcome: .continues, reason: "nghttp2 reads CONTINUATION of any length")
            ) {
                $0.frame(1, 0, 1, FrameWriter.block(ok))
                $0.frame(9, 4, 1, FrameWriter.block([("a", text(1 << 14))]))
            },
            .init("4.2", "longer SETTINGS end the connection", frameSize) {
                $0.settings(Array(repeating: (id: 0x99, value: 1), count: 2731))
            },
            .init("4.2", "a longer frame of an unknown type is an error", frameSize) {
                $0.frame(0xFF, 0, 0, Array(repeating: 0, count: 1 << 14 + 1))
            },
            .init("4.3", "fields that cannot be decoded end the connection", [.connection(.compression)]) {
                $0.frame(1, 4, 1, FrameWriter.block(ok) + [0x40, 5, 0x61])
            },
            .init("5.4.1", "an error of the connection is said with GOAWAY, and then it ends", frameSize) {
                $0.frame(6, 0, 0, [1, 2, 3])
                $0.headers(1, ok, ends: true)
            },
            .init("5.5", "an unknown setting is ignored", [.continues]) { $0.settings([(0xFA, 7)]) },
        ]

        static let ok200 = ["head 200 chunked", "end", "closed 0"]

        static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

        /// RFC 9113, 5.1: frames for streams that cannot have them.
        static let states: [HTTP2ClientRule] = idle(2) + idle(3) + idle(5) + closed + strays

        private static func idle(_ stream: Int32) -> [HTTP2ClientRule] {
            let name = stream == 2 ? "a stream that a server never promised" : "stream \(stream), which is not begun,"
            return [
                .init("5.1", "DATA on \(name) ends the connection", protocolError) {
                    $0.data(stream, "abc", ends: true)
                },
                .init("5.1.1", "HEADERS on \(name) end the connection", protocolError) {
                    $0.headers(stream, ok, ends: true)
                },
                .init("5.1", "RST_STREAM on \(name) ends the connection", protocolError) { $0.reset(stream, 8) },
                .init("5.1", "WINDOW_UPDATE on \(name) ends the connection", protocolError) {
                    $0.frame(8, 0, stream, [0, 0, 0, 100])
                },
                .init("6.10", "CONTINUATION on \(name) ends the connection", protocolError) {
                    $0.frame(9, 4, stream, FrameWriter.block(ok))
                },
                .init("5.1", "PRIORITY on \(name) is ignored", [.continues]) {
                    $0.frame(2, 0, stream, [0, 0, 0, 1, 7])
                },
                .init("4.1", "a frame of an unknown type on \(name) is ignored", [.continues]) {
                    $0.frame(0xFF, 0, stream, [1])
                },
            ]
        }

        /// What the section allows for most frames on a closed stream: a peer may not have seen the end yet.
        private static let late: [Outcome] = [.continues, .stream(.streamClosed), .connection(.streamClosed)]

        private static let closed: [HTTP2ClientRule] = [
            .init(
                "6.1",
                "DATA after the end of a response is an error",
                after: .answered,
                ended,
                deviation: forgotten
            ) { $0.data(1, "abc", ends: true) },
            .init(
                "5.1",
                "HEADERS after the end of a response are not the response",
                after: .answered,
                late,
                events: []
            ) { $0.headers(1, ok, ends: true) },
            .init(
                "6.1",
                "DATA after RST_STREAM of the server is an error",
                after: .resetByServer,
                ended,
                deviation: forgotten
            ) { $0.data(1, "abc", ends: true) },
            .init(
                "5.1",
                "HEADERS after RST_STREAM of the server are no response",
                after: .resetByServer,
                late,
                events: []
            ) { $0.headers(1, ok, ends: true) },
            .init("5.1", "DATA on half of a stream, whose end was sent, is an error", after: .answeredEarly, ended) {
                $0.data(1, "abc", ends: true)
            },
            .init(
                "5.1",
                "HEADERS on half of a stream, whose end was sent, are an error",
                after: .answeredEarly,
                ended
            ) { $0.headers(1, ok, ends: true) },
            .init("5.1", "a window may open after the end of the other half", after: .answeredEarly, [.continues]) {
                $0.frame(8, 0, 1, [0, 0, 0, 100])
            },
            .init("5.1", "RST_STREAM may follow the end of a response", after: .answered, [.continues], events: []) {
                $0.reset(1, 0)
            },
            .init(
                "5.1",
                "WINDOW_UPDATE may follow the end of a response",
                after: .answered,
                [.continues],
                events: []
            ) { $0.frame(8, 0, 1, [0, 0, 0, 100]) },
            .init(
                "5.1",
                "what arrives for a cancelled stream is discarded",
                after: .cancelled,
                [.continues],
                events: []
            ) {
                $0.frame(8, 0, 1, [0, 0, 0, 100])
                $0.headers(1, ok)
                $0.data(1, "abc")
                $0.headers(1, [("a", "b")], ends: true)
                $0.reset(1, 8)
            },
        ]

        private static let strays = [Start.answered, .answeredEarly, .resetByServer].map { start in
            HTTP2ClientRule("6.10", "CONTINUATION without HEADERS ends the connection (\(start))", after: start, stray)
            {
                $0.frame(9, 4, 1, FrameWriter.block(ok))
            }
        }

        /// That of a client whose request was complete, or that was reset.
        static let forgotten = Deviation(
            outcome: .continues,
            reason: "nghttp2 forgets a client's closed streams, and discards what arrives for them"
        )
        private static let ended: [Outcome] = [.stream(.streamClosed), .connection(.streamClosed)]
        private static let stray: [Outcome] = [.connection(.streamClosed), .connection(.protocolError)]
    }
#endif
