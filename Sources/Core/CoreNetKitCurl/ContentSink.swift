#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// Where a response's content goes as it arrives from the wire.
    struct ContentSink {
        enum Kind {
            case memory, stream
            /// Dropped, unless it belongs to an error response.
            case nowhere
        }

        /// The maximum number of bytes kept of an error response's content that the caller did not request.
        static let errorLimit = 64 << 20

        private(set) var kind = Kind.memory
        /// The maximum number of bytes to collect, or to keep waiting for a slow reader.
        private(set) var limit = 0
        var bytes = RawBytes()
        /// Bytes that a reader has not taken yet, beside `bytes`.
        var unread = 0
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

        mutating func becomeStream() { (kind, limit) = (.stream, ChunkPipe.capacity) }

        /// Whether a reader has as much unread content as may be kept for it.
        var isFull: Bool { kind == .stream && unread + bytes.count >= limit }

        /// Whether `count` more bytes exceed the room, for a reader that has unread content.
        func hasNoRoom(for count: Int) -> Bool {
            kind == .stream && unread + bytes.count + count > limit && unread + bytes.count > 0
        }

        mutating func take(_ content: UnsafeRawPointer, _ count: Int, status: Int32, isDecoded: Bool) -> CurlExchange
            .Refusal?
        {
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

        mutating func took(_ count: Int) {
            bytes.added(count)
            received = received.saturatingAdd(Int64(count))
        }
    }

    /// A growing block of memory that becomes `Data` without a copy; its last owner calls ``free()``.
    struct RawBytes {
        private(set) var base: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0

        /// The size reserved for most heads and for small content.
        static let small = 1024

        init() {}

        /// Called on the task that will also free it: two threads would contend for the same lock of the C library.
        init(reserving room: Int) {
            base = malloc(room)
            capacity = base == nil ? 0 : room
        }

        var buffer: UnsafeRawBufferPointer { .init(start: base, count: count) }

        /// Adds bytes, of which the first ones make room for `room` at once; `false` when there is no memory.
        mutating func append(_ bytes: UnsafeRawPointer, count added: Int, reserving room: Int = 512) -> Bool {
            guard added > 0 else { return true }
            if count + added > capacity, !grow(to: count + added, atLeast: room) { return false }
            guard let base else { return false }
            memcpy(base + count, bytes, added)
            count += added
            return true
        }

        mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
            bytes.baseAddress.map { append($0, count: bytes.count) } ?? true
        }

        /// Room after the content for `size` bytes, which count after ``added(_:)``; `nil` without memory.
        mutating func room(of size: Int) -> UnsafeMutableRawBufferPointer? {
            if count + size > capacity, !grow(to: count + size, atLeast: size) { return nil }
            return base.map { UnsafeMutableRawBufferPointer(start: $0 + count, count: size) }
        }

        mutating func added(_ bytes: Int) { count += bytes }

        mutating func removeAll() { count = 0 }

        mutating func removeFirst(_ dropped: Int) {
            guard dropped > 0, let base else { return }
            count -= dropped
            memmove(base, base + dropped, count)
        }

        mutating func free() {
            release()
            self = RawBytes()
        }

        func release() { freeMemory(base) }

        /// Moves the content out; small content is copied into a block of its size.
        mutating func takeData() -> Data {
            guard let base, count > 0 else { return Data() }
            if count <= RawBytes.small {
                defer { count = 0 }
                return Data(bytes: base, count: count)
            }
            // The buffer grows by doubling: the unused part is released.
            let fitted = capacity > count + count / 4 ? realloc(base, count) ?? base : base
            defer { self = RawBytes() }
            return Data(bytesNoCopy: fitted, count: count, deallocator: .free)
        }

        private mutating func grow(to needed: Int, atLeast room: Int) -> Bool {
            // Cannot overflow: `needed` bytes are already in memory.
            var wanted = max(capacity * 2, room)
            while wanted < needed { wanted *= 2 }
            guard let grown = realloc(base, wanted) else { return false }
            base = grown
            capacity = wanted
            return true
        }
    }

    /// Outside of the type, whose own `free` would be meant; the C library has another name with Musl.
    private func freeMemory(_ base: UnsafeMutableRawPointer?) { free(base) }
#endif
