#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// Where the content of a response goes as it comes from the wire.
    struct ContentSink {
        enum Kind {
            case memory
            case stream
            /// Dropped, unless it is an error's.
            case nowhere
        }

        /// Why content is not taken.
        enum Refusal {
            case tooLarge(limit: Int)
            case outOfMemory
        }

        /// The maximum number of bytes to keep of an error's content that nobody asked for.
        static let errorLimit = 64 << 20

        private(set) var kind = Kind.memory
        /// The maximum number of bytes to collect, or to keep waiting for a slow reader.
        private(set) var limit = 0
        /// Collected content, or chunks on their way to a stream.
        var bytes = RawBytes()
        /// Bytes that a reader has not taken yet, beside `bytes`.
        var unread = 0
        /// Content as it came over the wire, in all.
        private(set) var received: Int64 = 0

        init() {}

        init(_ receiver: Transfer.Receiver) {
            switch receiver {
            case .collect(let most): limit = most
            case .discard: (kind, limit) = (.nowhere, ContentSink.errorLimit)
            case .duplex: limit = ContentSink.errorLimit
            case .stream: (kind, limit) = (.stream, ChunkPipe.capacity)
            }
        }

        /// What comes from now on is for a reader.
        mutating func becomeStream() { (kind, limit) = (.stream, ChunkPipe.capacity) }

        /// Whether a reader has as much to read as is kept for it.
        var isFull: Bool { kind == .stream && unread + bytes.count >= limit }

        /// Whether so much more is too much for a reader who has something to read.
        func hasNoRoom(for count: Int) -> Bool {
            kind == .stream && unread + bytes.count + count > limit && unread + bytes.count > 0
        }

        /// Takes content in.
        ///
        /// - Parameters:
        ///   - content: The bytes.
        ///   - count: Their number.
        ///   - status: The response's: content of a success that nobody wants is dropped.
        ///   - isDecoded: Whether the content is decoded behind its end.
        /// - Returns: `nil`, or why it is not taken.
        mutating func take(_ content: UnsafeRawPointer, _ count: Int, status: Int32, isDecoded: Bool) -> Refusal? {
            let total = received.saturatingAdd(Int64(count))
            received = total
            switch kind {
            case .nowhere where 200...299 ~= status: break
            case .memory, .nowhere:
                // What cannot be compressed is a little longer than it was.
                let most = isDecoded ? limit.saturatingAdd(limit / 8).saturatingAdd(64 << 10) : limit
                guard total <= most else { return .tooLarge(limit: limit) }
                guard bytes.append(content, count: count) else { return .outOfMemory }
            case .stream:
                // As much as has come: a reader mostly gets it before more does, and the room for all that it may leave
                // unread would be asked of the system and given back for each reply of a few bytes.
                guard bytes.append(content, count: count, reserving: count) else { return .outOfMemory }
            }
            return nil
        }

        /// Room for a reader's content that comes as it is; `nil` where it goes elsewhere, or without memory.
        mutating func room(for count: Int64) -> UnsafeMutableRawBufferPointer? {
            guard kind == .stream, count >= 16 << 10 else { return nil }
            // At once what fits: growing would copy it.
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
