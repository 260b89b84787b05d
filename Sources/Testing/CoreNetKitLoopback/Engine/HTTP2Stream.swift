#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitWire

    /// The HTTP/2 session of a connection and its streams.
    final class HTTP2ServerStreams {
        let session: HTTP2Session
        var open: [Int32: HTTP2Stream] = [:]
        var last: Int32 = 0
        /// Whether the connection ends with the last stream that is open.
        var isLeaving = false
        /// Whether nothing is given to the session any more: the connection ends after what it was given.
        var isClosing = false

        init(_ session: HTTP2Session) { self.session = session }
    }

    /// An HTTP/2 stream, which is to a response what an HTTP/1.1 connection is: the head counts as one byte, and content
    /// follows it.
    final class HTTP2Stream: Connection {
        /// Bytes that the session is given at once: those of one frame.
        static let pieceSize = 16 << 10

        unowned let parent: Connection
        let streams: HTTP2ServerStreams
        var request: HTTP2Request
        var fields: [Headers.Field] = []
        var hasContent = false
        var trailers: [Headers.Field] = []
        /// Whether the session was given the end of the response, but for trailers.
        var hasEnded = false
        /// The error code of a scripted reset.
        var resetCode = HTTP2Code.internalError
        /// Whether the client has sent all of the request.
        var isComplete = false
        /// Whether its content stays unread.
        var isRefused = false
        var isReset = false
        /// The content that was submitted to the session and is not sent yet.
        var untaken = 0
        private let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceSize, alignment: 16)

        init(
            _ connectionID: CommandQueue.ConnectionID,
            _ parent: Connection,
            _ streams: HTTP2ServerStreams,
            _ request: HTTP2Request
        ) {
            (self.parent, self.streams, self.request) = (parent, streams, request)
            super.init(connectionID: connectionID, bodyLimit: 0)
            (head.method, head.target) = (request.method, request.target)
            // `idle` is one whose response has been given.
            phase = .waiting
        }

        deinit { piece.deallocate() }

        var id: Int32 { connectionID.stream }

        /// Sends interim responses, or trailers.
        func send(_ fields: [Headers.Field], isEnd: Bool) {
            streams.session.send(fields, on: id, isEnd: isEnd)
            untaken += 1
        }

        /// Gives the next piece to the session: the head, or content up to the next cut; at most so many bytes.
        func submitContent(_ limit: Int) {
            untaken += 1
            var count = 1
            if output.sent == 0 {
                let hasTrailers = hasContent && !trailers.isEmpty
                streams.session.respond(to: id, fields, hasContent: hasContent, hasTrailers: hasTrailers)
                hasEnded = !hasContent
            } else {
                let next = faults.cuts.first.map { $0.offset - output.sent } ?? .max
                count = min(output.pending, limit, next, Self.pieceSize)
                output.bytes.withUnsafeBytes {
                    piece.copyMemory(from: .init(rebasing: $0[output.start...].prefix(count)))
                }
                hasEnded = count == output.pending && output.more == nil && next > count
                _ = streams.session.submit(.init(rebasing: piece[..<count]), isLast: hasEnded, to: id)
                output.start += count
            }
            output.sent += count
            if faults.drip != nil { faults.allowance -= count }
        }

        /// Ends the stream before its time.
        func reset(_ code: HTTP2Code) {
            isReset = true
            streams.session.reset(id, code)
        }
    }

    /// An HTTP/2 request while it arrives, with its head as HTTP/1.1 would write it.
    struct HTTP2Request {
        private(set) var method = HTTPMethod.get
        private(set) var target = ""
        private(set) var bodyLength = 0
        private let limit: Int
        private var raw: [UInt8] = []
        private var headLength = 0
        private var trailers: Int?

        init(_ lines: UnsafeRawBufferPointer, bodyLimit: Int) {
            limit = bodyLimit
            var host = ""
            var rest: [UInt8] = []
            for line in lines.split(separator: 0x0A) {
                guard line.first == UInt8(ascii: ":") else {
                    rest.append(contentsOf: line)
                    rest.append(0x0A)
                    continue
                }
                // `:path: /`, and CR after it.
                let text = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
                let value = String(text.drop { $0 != " " }.dropFirst())
                switch text.prefix(while: { $0 != ":" }) {
                case "method": method = HTTPMethod(rawValue: value)
                case "path": target = value
                case "authority": host = value
                default: break
                }
            }
            if target.isEmpty { target = host }
            raw = Array("\(method.rawValue) \(target) HTTP/2\r\n".utf8)
            if !host.isEmpty { raw.append(contentsOf: "host: \(host)\r\n".utf8) }
            raw.append(contentsOf: rest)
            raw.append(contentsOf: "\r\n".utf8)
            headLength = raw.count
        }

        mutating func add(content: UnsafeRawBufferPointer) {
            let room = max(0, limit.saturatingAdd(headLength) - raw.count)
            raw.append(contentsOf: content.prefix(room))
            bodyLength += content.count
        }

        mutating func add(trailers lines: UnsafeRawBufferPointer) {
            trailers = raw.count
            raw.append(contentsOf: lines)
        }

        func made(connection: Int) -> LoopbackRequest {
            LoopbackRequest(
                connection: connection,
                method: method,
                target: target,
                bodyLength: bodyLength,
                rawBytes: raw,
                headLength: headLength,
                decodedBody: trailers.map { Array(raw[headLength..<$0]) },
                trailerBytes: (trailers ?? raw.count)..<raw.count
            )
        }
    }
#endif
