#if os(Linux)
    extension HTTP2ClientRule {
        private static let padded: UInt8 = 8
        private static let prioritized: UInt8 = 0x20

        /// RFC 9113, 6.1 to 6.4 and 6.6.
        static let frameKinds: [HTTP2ClientRule] = data + headers + priorities + resets + promises

        private static let data: [HTTP2ClientRule] = [
            .init("6.1", "DATA on stream 0 ends the connection", protocolError) { $0.data(0, "abc") },
            .init("6.1", "pieces of content are one", after: .responding, [.continues], events: done, content: "abcdef")
            {
                $0.data(1, "abc")
                $0.data(1, "")
                $0.data(1, "def")
                $0.data(1, "", ends: true)
            },
            .init("6.1", "padding is no content", after: .responding, [.continues], events: done, content: "abc") {
                $0.frame(0, padded | 1, 1, [5] + Array("abc".utf8) + [0, 0, 0, 0, 0])
            },
            .init("6.1", "DATA may be padding alone", after: .responding, [.continues], events: done, content: "") {
                $0.frame(0, padded, 1, [2, 0, 0])
                $0.frame(0, padded | 1, 1, [0])
            },
            .init("6.1", "padding as long as its frame is an error", after: .responding, protocolError) {
                $0.frame(0, padded, 1, [4, 0x61, 0, 0])
            },
            .init("6.1", "padding longer than its frame is an error", after: .responding, protocolError) {
                $0.frame(0, padded, 1, [255, 0x61])
            },
            .init(
                "6.1",
                "padding without its length is an error",
                after: .responding,
                [.connection(.protocolError), .connection(.frameSize)]
            ) { $0.frame(0, padded, 1) },
        ]

        static let done = ["end", "closed 0"]

        private static let headers: [HTTP2ClientRule] = [
            .init("6.2", "HEADERS on stream 0 end the connection", protocolError) { $0.headers(0, ok) },
            .init("6.2", "padding is no field", [.continues], events: ok200) {
                $0.frame(1, padded | 5, 1, [3] + FrameWriter.block(ok) + [0, 0, 0])
            },
            .init("6.2", "a priority is no field", [.continues], events: ok200) {
                $0.frame(1, prioritized | 5, 1, [0, 0, 0, 0, 7] + FrameWriter.block(ok))
            },
            .init("6.2", "a padded head may have a priority", [.continues], events: ok200) {
                $0.frame(1, prioritized | padded | 5, 1, [2, 0x80, 0, 0, 5, 7] + FrameWriter.block(ok) + [0, 0])
            },
            .init("6.2", "padding as long as its frame is an error", protocolError) {
                let block = FrameWriter.block(ok)
                $0.frame(1, padded | 5, 1, [UInt8(block.count + 1)] + block)
            },
            .init("6.2", "a priority that is cut is an error", [.connection(.protocolError), .connection(.frameSize)]) {
                $0.frame(1, prioritized | 5, 1, [0, 0, 0])
            },
            .init(
                "RFC 7540, 5.3.1",
                "a stream that depends on itself is an error, or its priority is ignored",
                [.continues, .stream(.protocolError), .connection(.protocolError)]
            ) { $0.frame(1, prioritized | 5, 1, [0, 0, 0, 1, 7] + FrameWriter.block(ok)) },
        ]

        private static let priorities: [HTTP2ClientRule] = [
            .init("6.3", "PRIORITY is ignored", [.continues], events: []) { $0.frame(2, 0, 1, [0, 0, 0, 0, 7]) },
            .init("6.3", "PRIORITY on stream 0 ends the connection", protocolError) {
                $0.frame(2, 0, 0, [0, 0, 0, 1, 7])
            },
            .init("6.3", "PRIORITY after the end of a response is ignored", after: .answered, [.continues], events: [])
            {
                $0.frame(2, 0, 1, [0, 0, 0, 0, 7])
            },
            .init("6.3", "PRIORITY that is too short is an error", [.stream(.frameSize), .connection(.frameSize)]) {
                $0.frame(2, 0, 1, [0, 0, 0, 0])
            },
            .init("6.3", "PRIORITY that is too long is an error", [.stream(.frameSize), .connection(.frameSize)]) {
                $0.frame(2, 0, 1, [0, 0, 0, 0, 7, 7])
            },
            .init(
                "RFC 7540, 5.3.1",
                "PRIORITY of a stream on itself is an error, or ignored",
                [.continues, .stream(.protocolError), .connection(.protocolError)]
            ) { $0.frame(2, 0, 1, [0, 0, 0, 1, 7]) },
        ]

        private static let resets: [HTTP2ClientRule] = [
            .init("6.4", "RST_STREAM ends a stream with its code", [.continues], events: ["closed 11"]) {
                $0.reset(1, 11)
            },
            .init("6.4", "RST_STREAM may end a response", after: .responding, [.continues], events: ["closed 2"]) {
                $0.data(1, "abc")
                $0.reset(1, 2)
            },
            .init(
                "8.1",
                "RST_STREAM after a response stops an upload",
                after: .answeredEarly,
                [.continues],
                events: ["closed 0"]
            ) { $0.reset(1, 0) },
            .init("6.4", "RST_STREAM on stream 0 ends the connection", protocolError) { $0.reset(0, 8) },
            .init("6.4", "RST_STREAM that is too short ends the connection", frameSize) {
                $0.frame(3, 0, 1, [0, 0, 8])
            },
            .init("6.4", "RST_STREAM that is too long ends the connection", frameSize) {
                $0.frame(3, 0, 1, [0, 0, 0, 8, 0])
            },
            .init("7", "RST_STREAM with an unknown code does nothing more", [.continues], events: ["closed 255"]) {
                $0.reset(1, 255)
            },
        ]

        /// The client's settings refuse them.
        private static let promises: [HTTP2ClientRule] = [
            promise(after: .asked), promise(after: .responding), promise(after: .answered),
            .init("6.6", "PUSH_PROMISE on stream 0 ends the connection", protocolError) {
                $0.frame(5, 4, 0, [0, 0, 0, 2] + request)
            },
            .init("6.6", "a promise of stream 0 ends the connection", protocolError) {
                $0.frame(5, 4, 1, [0, 0, 0, 0] + request)
            },
            .init("6.6", "a promise of a client's stream ends the connection", protocolError) {
                $0.frame(5, 4, 1, [0, 0, 0, 3] + request)
            },
            .init(
                "8.4",
                "a promise from before the client's settings arrived is refused",
                after: .silent,
                [.stream(.refused), .stream(.cancel), .connection(.protocolError)],
                events: []
            ) {
                $0.settings()
                $0.frame(5, 4, 1, [0, 0, 0, 2] + request)
            },
        ]

        private static func promise(after start: Start) -> HTTP2ClientRule {
            .init("6.6", "PUSH_PROMISE ends the connection (\(start))", after: start, protocolError) {
                $0.frame(5, 4, 1, [0, 0, 0, 2] + request)
            }
        }

        private static let request = FrameWriter.block([
            (":method", "GET"), (":scheme", "https"), (":authority", "a.test"), (":path", "/style"),
        ])
    }
#endif
