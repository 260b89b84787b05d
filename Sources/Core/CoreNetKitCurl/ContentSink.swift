#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// Where a response's content goes as it arrives from the wire.
    struct ContentSink {
        enum Kind {
            case memory
            case stream
            /// Dropped, unless it belongs to an error response.
            case nowhere
        }

        /// Why content is not taken.
        enum Refusal {
            case tooLarge(limit: Int)
            case outOfMemory
        }

        /// The maximum number of bytes kept of an error response's content that the caller did not request.
        static let errorLimit = 64 << 20

        private(set) var kind = Kind.memory
        /// The maximum number of bytes to collect, or to keep waiting for a slow reader.
        private(set) var limit = 0
        /// Collected content, or chunks on their way to a stream.
        var bytes = RawBytes()
        /// Bytes that a reader has not taken yet, beside `bytes`.
        var unread = 0
        /// Total content received from the wire.
        private(set) var received: Int64 = 0

        init() {}

        init(_ receiver: Transfer.Receiver) {
            switch receiver {
            case .collect(let most): limit = most
            case .discard: (kind, limit) = (.nowhere, ContentSink.errorLimit)
            // Only the reason of a refusal.
            case .duplex: limit = 1 << 20
            case .stream: (kind, limit) = (.stream, ChunkPipe.capacity)
            }
        }

        /// Content from now on goes to a reader.
        mutating func becomeStream() { (kind, limit) = (.stream, ChunkPipe.capacity) }

        /// Whether a reader has as much unread content as may be kept for it.
        var isFull: Bool { kind == .stream && unread + bytes.count >= limit }

        /// Whether `count` more bytes exceed the room, for a reader that has unread content.
        func hasNoRoom(for count: Int) -> Bool {
            kind == .stream && unread + bytes.count + count > limit && unread + bytes.count > 0
        }

        /// Takes content in.
        ///
        /// - Parameters:
        ///   - content: The bytes.
        ///   - count: Their number.
        ///   - status: The response's status: unwanted content of a success is dropped.
        ///   - isDecoded: Whether the content is decoded after its end.
        /// - Returns: `nil`, or why it is not taken.
        mutating func take(_ content: UnsafeRawPointer, _ count: Int, status: Int32, isDecoded: Bool) -> Refusal? {
            let total = received.saturatingAdd(Int64(count))
            received = total
            switch kind {
            case .nowhere where 200...299 ~= status: break
            case .memory, .nowhere:
                // Incompressible content grows a little when it is coded.
                let most = isDecoded ? limit.saturatingAdd(limit / 8).saturatingAdd(64 << 10) : limit
                guard total <= most else { return .tooLarge(limit: limit) }
                guard bytes.append(content, count: count) else { return .outOfMemory }
            case .stream:
                // Reserves only what has arrived, which a reader usually takes before more does: the maximum would be
                // allocated and freed for each response of a few bytes.
                guard bytes.append(content, count: count, reserving: count) else { return .outOfMemory }
            }
            return nil
        }

        /// Room for a reader's content that needs no decoding; `nil` if it goes elsewhere, or without memory.
        mutating func room(for count: Int64) -> UnsafeMutableRawBufferPointer? {
            guard kind == .stream, count >= 16 << 10 else { return nil }
            // All that fits at once: growing would copy it.
            let wanted = bytes.count == 0 ? limit : limit - bytes.count
            guard wanted > 0, let room = bytes.room(of: wanted) else { return nil }
            return UnsafeMutableRawBufferPointer(rebasing: room[..<Int(min(Int64(room.count), count))])
        }

        /// The number of bytes that were received into the buffer.
        mutating func took(_ count: Int) {
            bytes.added(count)
            received = received.saturatingAdd(Int64(count))
        }
    }
#endif
