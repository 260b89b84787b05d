#if os(Linux)
    import CNetHTTP2
    package import CoreNetKitHTTP

    /// One HTTP/2 server connection without input, output or clock, for servers of tests: ``HTTP2Session`` from the other
    /// side.
    ///
    /// Its methods belong to one thread.
    package final class HTTP2ServerSession {
        package enum Event {
            /// A request, or its trailers; the lines, without a line for the request, stay until the next event.
            case head(Int32, lines: UnsafeRawBufferPointer)
            /// Content: a range of the bytes that were received last.
            case content(Int32, Range<Int>)
            case end(Int32)
            /// Nothing follows on the stream: how it ended.
            case closed(Int32, HTTP2Code)
            /// The stream was reset for a violation by the client.
            case invalid(Int32)
            /// A head, a piece of content or trailers that were given have been taken; until then a reset would overtake them.
            case taken(Int32)
        }

        package enum Rest: Int32 { case nothing, content, contentAndTrailers }

        private let session: OpaquePointer
        private var position = 0

        /// Starts a session whose streams have at most `window` unread bytes each; `nil` without nghttp2 or memory.
        package init?(window: Int32, streams: UInt32) {
            let head = WireLimits()
            var limits = cnh_limits(
                stream_window: window,
                connection_window: 16 << 20,
                head: head.head,
                fields: head.fields,
                idle_frames: 10_000,
                streams: streams
            )
            guard let session = cnh_open_server(&limits) else { return nil }
            self.session = session
        }

        deinit { cnh_close(session) }

        package var isOver: Bool { !cnh_wants_to_receive(session) && !cnh_wants_to_send(session) }

        /// Processes received bytes, which begin with the client's preface; `false` if the session cannot continue.
        package func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
            guard let base = bytes.baseAddress, bytes.count > 0 else { return true }
            return cnh_receive(session, base, bytes.count) == 0
        }

        /// Writes pending output into the room; returns the number of bytes, negative if the session has ended.
        package func send(into output: UnsafeMutableRawBufferPointer) -> Int {
            output.baseAddress.map { cnh_send(session, $0, output.count) } ?? 0
        }

        /// Responds on a stream; names are in small letters (RFC 9113, 8.2).
        package func respond(to stream: Int32, _ fields: [Headers.Field], _ rest: Rest) {
            HTTP2Fields.with(fields) { _ = cnh_respond(session, stream, $0.baseAddress, $0.count, rest.rawValue) }
        }

        /// Sends an interim response, or, at the end of a stream whose content has been taken, its trailers.
        package func send(_ fields: [Headers.Field], on stream: Int32, isEnd: Bool) {
            HTTP2Fields.with(fields) { _ = cnh_fields(session, stream, $0.baseAddress, $0.count, isEnd) }
        }

        /// Submits the next piece of a response's content, which must stay valid until ``Event/taken(_:)``.
        package func submit(_ bytes: UnsafeRawBufferPointer, isLast: Bool, to stream: Int32) {
            _ = cnh_content(session, stream, bytes.baseAddress, bytes.count, isLast)
        }

        /// Lets the client send as much again on a stream.
        package func consumed(_ count: Int, of stream: Int32) { cnh_consumed(session, stream, count) }

        package func reset(_ stream: Int32, _ code: HTTP2Code) { cnh_reset(session, stream, code.rawValue) }

        /// Sends GOAWAY: streams after this one are not processed.
        package func sendGoAway(last stream: Int32) { cnh_leave(session, stream) }

        /// The next event; `nil` when all were read.
        package func next() -> Event? {
            var count = 0
            let events = cnh_events(session, &count)
            while let events, position < count {
                let event = events[position]
                position += 1
                switch Int(event.kind) {
                case CNH_HEAD:
                    let heads = UnsafeRawBufferPointer(start: cnh_heads(session), count: event.offset + event.count)
                    return .head(event.stream, lines: UnsafeRawBufferPointer(rebasing: heads[event.offset...]))
                case CNH_DATA: return .content(event.stream, event.offset..<event.offset + event.count)
                case CNH_END: return .end(event.stream)
                case CNH_CLOSED: return .closed(event.stream, HTTP2Code(rawValue: event.code))
                case CNH_INVALID, CNH_TOO_LARGE: return .invalid(event.stream)
                case CNH_WANTS_CONTENT: return .taken(event.stream)
                default: continue
                }
            }
            position = 0
            cnh_forget(session)
            return nil
        }
    }
#endif
