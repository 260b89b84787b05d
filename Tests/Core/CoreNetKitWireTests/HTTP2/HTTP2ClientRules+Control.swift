#if os(Linux)
    extension HTTP2ClientRule {
        /// RFC 9113, 6.5, and the settings of RFC 8441 and RFC 9218.
        static let settings: [HTTP2ClientRule] = [
            .init("6.5", "SETTINGS on a stream end the connection", protocolError) { $0.frame(4, 0, 1) },
            .init("6.5", "an acknowledgement has no settings", frameSize) { $0.frame(4, 1, 0, [0, 3, 0, 0, 0, 1]) },
            .init("6.5", "SETTINGS have six bytes each", frameSize) { $0.frame(4, 0, 0, [0, 3, 0]) },
            .init("6.5", "SETTINGS of which the last is cut end the connection", frameSize) {
                $0.frame(4, 0, 0, [0, 3, 0, 0, 0, 1, 0])
            },
            .init("6.5.2", "a server that lets a client push ends the connection", protocolError) {
                $0.settings([(2, 1)])
            },
            .init("6.5.2", "push is 0 or 1", protocolError) { $0.settings([(2, 2)]) },
            .init("6.5.2", "a server may say that it takes no push", [.continues]) { $0.settings([(2, 0)]) },
            .init("6.5.2", "a window is below 2^31", [.connection(.flowControl)]) { $0.settings([(4, 1 << 31)]) },
            .init("6.5.2", "a window may be 2^31 - 1 or 0", [.continues]) {
                $0.settings([(4, 1 << 31 - 1)])
                $0.settings([(4, 0)])
            },
            .init("6.5.2", "a frame has room for 2^14 bytes", protocolError) { $0.settings([(5, 1 << 14 - 1)]) },
            .init("6.5.2", "a frame has no room for 2^24 bytes", protocolError) { $0.settings([(5, 1 << 24)]) },
            .init("6.5.2", "a frame may have 2^14 to 2^24 - 1 bytes", [.continues]) {
                $0.settings([(5, 1 << 24 - 1), (5, 1 << 14)])
            },
            .init("6.5.2", "a table of the compression may have any size", [.continues]) {
                $0.settings([(1, 0), (1, 1 << 32 - 1), (1, 100)])
            },
            .init("6.5.2", "a server may allow no stream", [.continues]) { $0.settings([(3, 0)]) },
            .init("6.5.2", "a head may be allowed no byte: that is advice", [.continues]) { $0.settings([(6, 0)]) },
            .init("6.5.3", "SETTINGS without an acknowledgement of the last ones are acknowledged", [.continues]) {
                $0.settings([(3, 10)])
                $0.settings([(3, 20)])
            },
            .init(
                "6.5.3",
                "an acknowledgement of nothing is an error, or ignored",
                [.continues, .connection(.protocolError)]
            ) { $0.frame(4, 1) },
            .init("RFC 8441, 3", "extended CONNECT is 0 or 1", protocolError) { $0.settings([(8, 2)]) },
            .init("RFC 8441, 3", "extended CONNECT is not taken back", protocolError) {
                $0.settings([(8, 1)])
                $0.settings([(8, 0)])
            },
            .init("RFC 9218, 2.1", "priorities are 0 or 1", after: .silent, protocolError) { $0.settings([(9, 2)]) },
            .init("RFC 9218, 2.1", "priorities do not change", after: .silent, protocolError) {
                $0.settings([(9, 1)])
                $0.settings([(9, 0)])
            },
        ]

        /// RFC 9113, 6.7 to 6.9.
        static let control: [HTTP2ClientRule] = pings + sizes + goaways + windows

        private static let pings: [HTTP2ClientRule] = [
            .init("6.7", "PING is acknowledged", [.continues], events: []) {
                $0.frame(6, 0, 0, Array("ping you".utf8))
            },
            .init("6.7", "PING on a stream ends the connection", protocolError) {
                $0.frame(6, 0, 1, Array("ping you".utf8))
            },
        ]

        private static let sizes: [HTTP2ClientRule] = [0, 7, 9].map { count in
            HTTP2ClientRule("6.7", "PING has eight bytes, not \(count)", frameSize) {
                $0.frame(6, 0, 0, Array(repeating: 0, count: count))
            }
        }

        private static let goaways: [HTTP2ClientRule] = [
            .init("6.8", "GOAWAY on a stream ends the connection", protocolError) {
                $0.frame(7, 0, 1, Array(repeating: 0, count: 8))
            },
            .init("6.8", "GOAWAY that is too short ends the connection", frameSize) {
                $0.frame(7, 0, 0, Array(repeating: 0, count: 7))
            },
            .init(
                "6.8",
                "a stream at the last one that is named is finished",
                after: .responding,
                [.over],
                events: done
            ) {
                $0.goaway(last: 1, 0)
                $0.data(1, "abc", ends: true)
            },
            .init("6.8", "a stream above the last one that is named has no response", [.over], events: ["closed 7"]) {
                $0.goaway(last: 0, 0)
            },
            .init("6.8", "GOAWAY may announce the end of new streams", after: .responding, [.continues], events: []) {
                $0.goaway(last: Int32.max, 0)
            },
            .init("6.8", "the last stream may become a smaller one", after: .responding, [.continues], events: []) {
                $0.goaway(last: Int32.max, 0)
                $0.goaway(last: 1, 0)
            },
            .init(
                "6.8",
                "the last stream does not become a greater one",
                after: .responding,
                [.continues, .connection(.protocolError)]
            ) {
                $0.goaway(last: 1, 0)
                $0.goaway(last: 3, 0)
            },
            .init("6.8", "GOAWAY may give a reason", after: .responding, [.continues], events: []) {
                $0.frame(7, 0, 0, [0, 0, 0, 1, 0, 0, 0, 0] + Array("maintenance".utf8))
            },
            .init("7", "GOAWAY with an unknown code does nothing more", after: .responding, [.continues], events: []) {
                $0.goaway(last: 1, 255)
            },
        ]

        private static let windows: [HTTP2ClientRule] = [
            .init("6.9", "a connection's window grows by at least 1", protocolError) {
                $0.frame(8, 0, 0, [0, 0, 0, 0])
            },
            .init(
                "6.9",
                "a stream's window grows by at least 1",
                [.stream(.protocolError), .connection(.protocolError)]
            ) { $0.frame(8, 0, 1, [0, 0, 0, 0]) },
            .init("6.9", "the reserved bit of an increment is ignored", [.continues], events: []) {
                $0.frame(8, 0, 1, [0x80, 0, 0, 1])
                $0.frame(8, 0, 0, [0x80, 0, 0, 1])
            },
            .init("6.9", "WINDOW_UPDATE that is too short ends the connection", frameSize) {
                $0.frame(8, 0, 1, [0, 0, 1])
            },
            .init("6.9", "WINDOW_UPDATE that is too long ends the connection", frameSize) {
                $0.frame(8, 0, 0, [0, 0, 0, 1, 0])
            },
            .init("6.9.1", "a connection's window stays below 2^31", [.connection(.flowControl)]) {
                for _ in 0..<2 { $0.frame(8, 0, 0, [0x7F, 0xFF, 0xFF, 0xFF]) }
            },
            .init("6.9.1", "a stream's window stays below 2^31", after: .uploading, [.stream(.flowControl)]) {
                for _ in 0..<2 { $0.frame(8, 0, 1, [0x7F, 0xFF, 0xFF, 0xFF]) }
            },
            .init("6.9.1", "a window may be 2^31 - 1", after: .uploading, [.continues], events: []) {
                for stream: Int32 in [0, 1] { $0.frame(8, 0, stream, FrameWriter.number(1 << 31 - 1 - 65_535, 4)) }
            },
            .init(
                "6.9.2",
                "settings do not open a stream's window beyond",
                after: .uploading,
                [.connection(.flowControl)],
                deviation: Deviation(outcome: .stream(.flowControl), reason: "nghttp2 ends the stream alone")
            ) {
                $0.frame(8, 0, 1, FrameWriter.number(1 << 31 - 1 - 65_535, 4))
                $0.settings([(4, 65_536)])
            },
            .init("6.9.1", "content beyond a stream's window ends it", after: .responding, [.stream(.flowControl)]) {
                for _ in 0..<17 { $0.data(1, text(1 << 14)) }
            },
        ]

        /// RFC 9113, 4.3 and 6.10: a block of fields is whole before another frame.
        static let continuation: [HTTP2ClientRule] = [
            .init("6.10", "fields may be cut anywhere", [.continues], events: ok200) {
                let block = FrameWriter.block(ok)
                $0.frame(1, 1, 1)
                for byte in block.prefix(4) { $0.frame(9, 0, 1, [byte]) }
                $0.frame(9, 4, 1, Array(block.dropFirst(4)))
            },
            .init("6.10", "CONTINUATION may be empty", [.continues], events: ok200) {
                $0.frame(1, 1, 1, FrameWriter.block(ok))
                $0.frame(9, 0, 1)
                $0.frame(9, 4, 1)
            },
            .init("6.10", "CONTINUATION on stream 0 ends the connection", protocolError) {
                $0.frame(1, 0, 1, FrameWriter.block(ok))
                $0.frame(9, 4, 0)
            },
            .init("6.10", "CONTINUATION of another stream ends the connection", protocolError) {
                $0.frame(1, 0, 1, FrameWriter.block(ok))
                $0.frame(9, 4, 3)
            },
            .init("6.10", "CONTINUATION after a whole head ends the connection", protocolError) {
                $0.headers(1, ok)
                $0.frame(9, 4, 1, FrameWriter.block([("a", "b")]))
            },
            .init("6.10", "CONTINUATION after the last one ends the connection", protocolError) {
                $0.frame(1, 0, 1, FrameWriter.block(ok))
                $0.frame(9, 4, 1, FrameWriter.block([("a", "b")]))
                $0.frame(9, 4, 1, FrameWriter.block([("a", "b")]))
            },
            .init("6.10", "CONTINUATION after DATA ends the connection", after: .responding, protocolError) {
                $0.data(1, "abc")
                $0.frame(9, 4, 1, FrameWriter.block([("a", "b")]))
            },
        ]

        private static let inner: [(kind: UInt8, stream: Int32, count: Int)] = [
            (0, 1, 3), (1, 3, 0), (2, 1, 5), (3, 1, 4), (4, 0, 0), (6, 0, 8), (7, 0, 8), (8, 0, 4), (8, 1, 4),
            (0xFF, 0, 1), (0xFF, 1, 1),
        ]

        static let interrupted: [HTTP2ClientRule] = inner.map { kind, stream, count in
            let title = "a frame of type \(kind) on stream \(stream) within a head ends the connection"
            return HTTP2ClientRule("4.3", title, protocolError) {
                $0.frame(1, 0, 1, FrameWriter.block(ok))
                $0.frame(kind, 0, stream, Array(repeating: 1, count: count))
                $0.frame(9, 4, 1)
            }
        }
    }
#endif
