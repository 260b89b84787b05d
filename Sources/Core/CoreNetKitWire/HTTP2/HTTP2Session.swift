#if os(Linux)
    import CNetHTTP2
    package import CoreNetKitHTTP

    /// One HTTP/2 client connection without input, output or clock (RFC 9113), by nghttp2: requests become bytes to
    /// send, received bytes become events.
    ///
    /// Its methods belong to one thread.
    package final class HTTP2Session {
        /// How much one session accepts and announces.
        package struct Limits: Hashable, Sendable {
            /// Unread bytes of one stream.
            package var streamWindow: Int32 = 256 << 10
            /// Bytes on their way on the whole connection.
            package var connectionWindow: Int32 = 16 << 20
            /// Bytes and lines of a head, as for HTTP/1.1.
            package var head = WireLimits()
            /// Frames in a row that carry neither a head nor content, in either direction.
            package var idleFrames = 10_000

            package init() {}
        }

        package static var isAvailable: Bool { cnh_is_available() }

        /// Whether it can send trailers: as every version can that is known.
        package static var hasTrailers: Bool { cnh_has_server() }

        private let session: OpaquePointer
        @exclusivity(unchecked) private var fields = HTTP2Fields()
        @exclusivity(unchecked) private var position = 0
        @exclusivity(unchecked) package private(set) var openStreams = 0
        /// Whether the server has said that no stream may begin any more.
        @exclusivity(unchecked) package private(set) var isLeaving = false

        /// Starts a session, whose preface is the first thing to send; `nil` without nghttp2 or memory.
        ///
        /// With `serverStreams`, that of a server for tests, which allows so many at a time: names of its fields are in small
        /// letters (RFC 9113, 8.2), ``begin(_:_:hasContent:hasTrailers:)`` and the counts of streams are a client's.
        package init?(_ limits: Limits = Limits(), serverStreams: UInt32? = nil) {
            var own = cnh_limits(
                stream_window: limits.streamWindow,
                connection_window: limits.connectionWindow,
                head: limits.head.head,
                fields: limits.head.fields,
                idle_frames: limits.idleFrames,
                streams: serverStreams ?? 0
            )
            guard let session = serverStreams == nil ? cnh_open(&own) : cnh_open_server(&own) else { return nil }
            self.session = session
        }

        deinit { cnh_close(session) }

        package var room: Int { isLeaving ? 0 : max(0, Int(clamping: cnh_stream_limit(session)) - openStreams) }

        /// Whether the server allows extended CONNECT, for WebSockets (RFC 8441, 3).
        package var hasExtendedConnect: Bool { cnh_has_extended_connect(session) }

        /// Whether the session can neither send nor receive any more: what is still open is lost.
        package var isOver: Bool { !cnh_wants_to_receive(session) && !cnh_wants_to_send(session) }

        /// Begins a stream with a head as HTTP/1.1 sends it, with its empty line.
        ///
        /// Content follows by ``submit(_:isLast:to:)``, fields behind it by ``send(_:on:isEnd:)``.
        /// - Throws: ``HTTP2Fault/noRoom``, ``HTTP2Fault/request``.
        package func begin(
            _ head: UnsafeRawBufferPointer,
            _ form: HTTP2RequestForm,
            hasContent: Bool,
            hasTrailers: Bool = false
        ) throws(HTTP2Fault) -> Int32 {
            guard room > 0 else { throw .noRoom }
            try fields.read(head, form)
            let content = Self.content(hasContent, hasTrailers)
            let stream = fields.lines.withUnsafeBufferPointer {
                cnh_request(session, $0.baseAddress, $0.count, content)
            }
            guard stream > 0 else { throw .session(stream) }
            openStreams += 1
            return stream
        }

        /// Gives the next piece of content, to be kept until ``HTTP2Event/wantsContent(_:)``; `false` if none is taken
        /// any more.
        package func submit(_ bytes: UnsafeRawBufferPointer, isLast: Bool, to stream: Int32) -> Bool {
            cnh_content(session, stream, bytes.baseAddress, bytes.count, isLast)
        }

        private static func content(_ hasContent: Bool, _ hasTrailers: Bool) -> Int32 {
            Int32(hasTrailers ? CNH_CONTENT_AND_TRAILERS : hasContent ? CNH_CONTENT : CNH_NO_CONTENT)
        }

        package func respond(to stream: Int32, _ fields: [Headers.Field], hasContent: Bool, hasTrailers: Bool) {
            HTTP2Fields.with(fields) {
                _ = cnh_respond(session, stream, $0.baseAddress, $0.count, Self.content(hasContent, hasTrailers))
            }
        }

        /// Ends a message whose content has been taken with its trailers (RFC 9113, 8.1), or sends an interim response.
        package func send(_ fields: [Headers.Field], on stream: Int32, isEnd: Bool = true) {
            HTTP2Fields.with(fields) { _ = cnh_fields(session, stream, $0.baseAddress, $0.count, isEnd) }
        }

        /// Sends GOAWAY: streams after this one are not processed.
        package func sendGoAway(last stream: Int32) { cnh_leave(session, stream) }

        /// Ends a stream before its time; the connection stays usable.
        package func reset(_ stream: Int32, _ code: HTTP2Code = .cancel) { cnh_reset(session, stream, code.rawValue) }

        /// Notes content of a stream that its reader has taken, so that the server may send as much again.
        package func consumed(_ count: Int, of stream: Int32) { cnh_consumed(session, stream, count) }

        /// Sends a PING; its acknowledgement is ``HTTP2Event/pong``.
        package func ping() { cnh_ping(session) }

        /// Parses received bytes; ``next()`` returns the resulting events.
        ///
        /// - Throws: ``HTTP2Fault/session(_:)``: events are there even so, and then the connection is closed.
        package func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Fault) {
            guard let base = bytes.baseAddress, bytes.count > 0 else { return }
            let result = cnh_receive(session, base, bytes.count)
            if result < 0 { throw .session(result) }
        }

        /// Writes pending output, as far as there is room; the number of bytes, 0 if there is nothing to send now.
        package func send(into output: UnsafeMutableRawBufferPointer) throws(HTTP2Fault) -> Int {
            guard let base = output.baseAddress else { return 0 }
            let count = cnh_send(session, base, output.count)
            if count < 0 { throw .session(Int32(truncatingIfNeeded: count)) }
            return count
        }

        /// The next event; `nil` when all were read.
        ///
        /// Ranges of content are those of the bytes received last.
        package func next() -> HTTP2Event? {
            var count = 0
            let events = cnh_events(session, &count)
            while let events, position < count {
                let event = events[position]
                position += 1
                if event.is_over { openStreams -= 1 }
                if Int(event.kind) == CNH_GOAWAY { isLeaving = true }
                if let event = HTTP2Event(event, heads: cnh_heads(session)) { return event }
            }
            position = 0
            cnh_forget(session)
            return nil
        }
    }
#endif
