#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    /// The server's side of HTTP/2 without TLS, frame by frame (RFC 9113, 4): each test decides what is sent.
    struct HTTP2Peer {
        struct Frame {
            let kind: UInt8
            let flags: UInt8
            let stream: UInt32
            let payload: [UInt8]
        }

        enum Kind {
            static let data: UInt8 = 0
            static let headers: UInt8 = 1
            static let reset: UInt8 = 3
            static let settings: UInt8 = 4
            static let ping: UInt8 = 6
            static let window: UInt8 = 8
        }

        static let end: UInt8 = 1
        static let endOfHeaders: UInt8 = 4

        let connection: RawPeer.Connection

        /// Reads the client's preface, and sends settings: how much of a body may arrive before more is granted (6.5.2).
        init?(_ connection: RawPeer.Connection, window: UInt32 = 65_535) {
            self.connection = connection
            guard connection.read(24).count == 24 else { return nil }
            send(Kind.settings, payload: [0, 4] + Self.bytes(window))
        }

        func drain(for milliseconds: Int32) { while !connection.isIdle(for: milliseconds), frame() != nil {} }

        /// The next frame as it is; `nil` at the connection's end.
        func frame() -> Frame? {
            let head = connection.read(9)
            guard head.count == 9 else { return nil }
            let count = head[..<3].reduce(0) { $0 << 8 | Int($1) }
            let stream = head[5...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            let payload = count > 0 ? connection.read(count) : []
            guard payload.count == count else { return nil }
            return Frame(kind: head[3], flags: head[4], stream: stream, payload: payload)
        }

        /// The next frame, `nil` at the connection's end; settings and pings are acknowledged and skipped.
        func next() -> Frame? {
            while let frame = frame() {
                guard frame.kind == Kind.settings || frame.kind == Kind.ping else { return frame }
                guard frame.flags & 1 == 0 else { continue }
                send(frame.kind, flags: 1, payload: frame.kind == Kind.ping ? frame.payload : [])
            }
            return nil
        }

        /// The stream of the next request, whose body may still be to come; `nil` at the connection's end.
        func request() -> UInt32? {
            while let frame = next() { if frame.kind == Kind.headers { return frame.stream } }
            return nil
        }

        /// Reads until this much body content has arrived, or a stream or the connection has ended.
        func body(_ count: Int) {
            var left = count
            while left > 0, let frame = next() {
                if frame.kind == Kind.data { left -= frame.payload.count }
                if frame.kind == Kind.data, frame.flags & Self.end != 0 { return }
            }
        }

        func send(_ kind: UInt8, flags: UInt8 = 0, on stream: UInt32 = 0, payload: [UInt8] = []) {
            let count = payload.count
            connection.write(
                [UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), kind, flags]
                    + Self.bytes(stream) + payload
            )
        }

        func head(_ status: Int, _ fields: [(String, String)] = [], on stream: UInt32, ends: Bool = false) {
            send([(":status", "\(status)")] + fields, on: stream, ends: ends)
        }

        /// Literals that no table keeps (RFC 7541, 6.2.2), in frames of at most 16 KiB.
        func send(_ fields: [(String, String)], on stream: UInt32, ends: Bool) {
            let block: [UInt8] = fields.flatMap {
                [0] + Self.literal($0.0.scalarBytes) + Self.literal($0.1.scalarBytes)
            }
            var position = 0
            repeat {
                let end = min(position + 1 << 14, block.count)
                let flags = end == block.count ? Self.endOfHeaders : 0
                let (kind, more) = position == 0 ? (Kind.headers, ends ? Self.end : 0) : (9, 0)
                send(kind, flags: flags | more, on: stream, payload: Array(block[position..<end]))
                position = end
            } while position < block.count
        }

        private static func literal(_ bytes: [UInt8]) -> [UInt8] {
            guard bytes.count >= 127 else { return [UInt8(bytes.count)] + bytes }
            var (length, rest): ([UInt8], Int) = ([127], bytes.count - 127)
            while rest >= 128 {
                length.append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            return length + [UInt8(rest)] + bytes
        }

        func data(_ text: String, on stream: UInt32, ends: Bool = false) {
            send(Kind.data, flags: ends ? Self.end : 0, on: stream, payload: Array(text.utf8))
        }

        func reset(_ stream: UInt32, _ code: UInt32) { send(Kind.reset, on: stream, payload: Self.bytes(code)) }

        private static func bytes(_ number: UInt32) -> [UInt8] {
            [UInt8(number >> 24), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
        }
    }

    extension CurlTransport {
        static var plainHTTP2: CurlTransport { made { $0.httpVersion = .http2PriorKnowledge } }
    }
#endif
