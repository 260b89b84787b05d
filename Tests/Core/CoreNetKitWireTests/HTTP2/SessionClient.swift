#if os(Linux)
    import TestPace
    import CoreNetKitHTTP

    @testable import CoreNetKitWire

    final class SessionClient {
        let session: HTTP2Session
        var events: [String] = []
        var content: [UInt8] = []
        /// The head that was received last, as lines.
        var lines: [UInt8] = []
        var failure: HTTP2Fault?
        /// Whether content is taken as it arrives.
        var reads = true

        init(_ limits: HTTP2Session.Limits = .init()) throws { session = try #require(HTTP2Session(limits)) }

        func begin(
            _ head: String = "GET /a?b HTTP/1.1\r\nHost: a.test\r\nAccept: text/plain\r\n\r\n",
            hasContent: Bool = false,
            hasTrailers: Bool = false
        ) throws -> Int32 {
            try Array(head.utf8).withUnsafeBytes {
                let form = HTTP2RequestForm(isSecure: true)
                return try session.begin($0, form, hasContent: hasContent, hasTrailers: hasTrailers)
            }
        }

        /// The frames that the session has to send.
        @discardableResult
        func send() -> [Frame] {
            var output: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1000)
            while let count = try? piece.withUnsafeMutableBytes({ try session.send(into: $0) }), count > 0 {
                output += piece[..<count]
            }
            read([])
            return Self.frames(output)
        }

        /// Receives what a server writes, and sends what follows from it.
        @discardableResult
        func exchange(_ write: (inout FrameWriter) -> Void) -> [Frame] {
            receive(write)
            return send()
        }

        func receive(_ write: (inout FrameWriter) -> Void) {
            var server = FrameWriter()
            write(&server)
            receive(server.bytes)
        }

        func receive(_ bytes: [UInt8]) {
            do {
                try bytes.withUnsafeBytes { try session.receive($0) }
            } catch {
                failure = error as? HTTP2Fault
            }
            read(bytes)
        }

        private func read(_ bytes: [UInt8]) {
            while let event = session.next() {
                switch event {
                case .interim(let stream, let status, _): events.append("\(stream) interim \(status)")
                case .head(let stream, let status, let lines):
                    self.lines = Array(lines)
                    let head = ResponseHead(status: status, lines: lines)
                    let fields = HeaderLines.fields(in: lines, skipsFirst: true)
                    let shown = fields.map { " \($0.name)=\($0.value)" }.joined()
                    events.append("\(stream) head \(head.status) \(head.framing)\(shown)")
                case .trailers(let stream, let lines):
                    let fields = HeaderLines.fields(in: lines, skipsFirst: false)
                    events.append("\(stream) trailers" + fields.map { " \($0.name)=\($0.value)" }.joined())
                case .content(let stream, let range):
                    content += bytes[range]
                    if reads { session.consumed(range.count, of: stream) }
                case .end(let stream, let isOver): events += ["\(stream) end"] + (isOver ? ["\(stream) closed 0"] : [])
                case .closed(let stream, let code): events.append("\(stream) closed \(code.rawValue)")
                case .invalid(let stream, let fault): events.append("\(stream) \(fault)")
                case .wantsContent(let stream): events.append("\(stream) wants")
                case .goAway(let last, let code): events.append("leaving \(last) \(code.rawValue)")
                case .settings: events.append("settings")
                case .pong: events.append("pong")
                }
            }
        }

        struct Frame {
            let type: UInt8
            let flags: UInt8
            let stream: Int32
            let payload: [UInt8]
        }

        private static func frames(_ bytes: [UInt8]) -> [Frame] {
            var rest = bytes[...]
            if rest.starts(with: Array("PRI ".utf8)) { rest = rest.dropFirst(24) }
            var frames: [Frame] = []
            while rest.count >= 9 {
                let head = Array(rest.prefix(9))
                let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
                let stream = head[5...].reduce(Int32(0)) { $0 << 8 | Int32($1) }
                let payload = Array(rest.dropFirst(9).prefix(count))
                frames.append(Frame(type: head[3], flags: head[4], stream: stream, payload: payload))
                rest = rest.dropFirst(9 + count)
            }
            return frames
        }
    }
#endif
