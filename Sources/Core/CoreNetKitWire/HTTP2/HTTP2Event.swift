#if os(Linux)
    import CNetHTTP2

    package enum HTTP2Event {
        /// An informational response; its lines, of which the first is `:status`, stay until the next event.
        case interim(Int32, status: Int, lines: UnsafeRawBufferPointer)
        /// The head of the response, likewise.
        case head(Int32, status: Int, lines: UnsafeRawBufferPointer)
        /// The fields after the content (RFC 9113, 8.1); for a server also the head of a request.
        case trailers(Int32, lines: UnsafeRawBufferPointer)
        /// Content: a range of the bytes that were received last.
        case content(Int32, Range<Int>)
        /// The response is complete; the request may still be on its way, unless the stream is over.
        case end(Int32, isOver: Bool)
        /// The stream, which was still open after its response, has ended.
        case closed(Int32, HTTP2Code)
        /// The stream was reset for a violation by the server.
        case invalid(Int32, HTTP2Fault)
        /// The submitted piece of content was framed, which may be the last one.
        case wantsContent(Int32)
        /// GOAWAY: the server accepts no new streams, and has not processed those above the number (RFC 9113, 6.8).
        case goAway(last: Int32, HTTP2Code)
        case settings, pong

        init?(_ event: cnh_event, heads: UnsafePointer<UInt8>?) {
            let stream = event.stream
            switch Int(event.kind) {
            case CNH_HEAD:
                let lines = UnsafeRawBufferPointer(start: heads.map { $0 + event.offset }, count: event.count)
                // A block with a status is a response's head, one without is its trailers.
                guard let status = HTTP2Fields.status(of: lines) else {
                    self = .trailers(stream, lines: lines)
                    return
                }
                self =
                    status < 200
                    ? .interim(stream, status: status, lines: lines) : .head(stream, status: status, lines: lines)
            case CNH_DATA: self = .content(stream, event.offset..<event.offset + event.count)
            case CNH_END: self = .end(stream, isOver: event.is_over)
            case CNH_CLOSED: self = .closed(stream, HTTP2Code(rawValue: event.code))
            case CNH_GOAWAY: self = .goAway(last: stream, HTTP2Code(rawValue: event.code))
            case CNH_SETTINGS: self = .settings
            case CNH_PONG: self = .pong
            case CNH_TOO_LARGE: self = .invalid(stream, .tooLarge)
            case CNH_WANTS_CONTENT: self = .wantsContent(stream)
            case CNH_INVALID: self = .invalid(stream, .response)
            default: return nil
            }
        }
    }

    /// Why a stream or a connection ended (RFC 9113, 7).
    package struct HTTP2Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        package static let none = HTTP2Code(rawValue: 0)
        package static let protocolError = HTTP2Code(rawValue: 1)
        package static let internalError = HTTP2Code(rawValue: 2)
        /// Nothing was done with the request (RFC 9113, 8.7).
        package static let refusedStream = HTTP2Code(rawValue: 7)
        package static let cancel = HTTP2Code(rawValue: 8)
    }

    /// The problem of a request, or a violation by the server, as ``message`` says.
    package enum HTTP2Fault: Error, Hashable, Sendable {
        case noRoom, request, response, tooLarge
        /// The session is over; nghttp2's code.
        case session(Int32)

        /// One line, without a byte of the message.
        package var message: String {
            switch self {
            case .noRoom: "the server allows no more streams on this connection"
            case .request: "the request has no form in HTTP/2 (RFC 9113, 8.3.1)"
            case .response: "the response breaks a rule of HTTP/2 for fields or lengths (RFC 9113, 8.1.1)"
            case .tooLarge: "the head is larger than is accepted"
            case .session(let code): "the connection breaks a rule of HTTP/2: \(String(cString: cnh_text(code)))"
            }
        }
    }
#endif
