#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A growing block of memory that becomes `Data` without a copy.
    ///
    /// A plain value without automatic release: its last owner calls ``free()`` or ``takeData()``.
    struct RawBytes {
        private(set) var base: UnsafeMutableRawPointer?
        private(set) var count = 0
        private var capacity = 0

        /// The size reserved for most heads and for small content.
        static let small = 1024

        init() {}

        /// Reserves room for a small part of a response.
        ///
        /// Called on the task that will also free it: if one thread allocates and another frees, both contend for the
        /// same lock of the C library.
        init(reserving room: Int) {
            base = malloc(room)
            capacity = base == nil ? 0 : room
        }

        var buffer: UnsafeRawBufferPointer { .init(start: base, count: count) }

        /// Adds bytes; the first ones make room for `room` at once.
        ///
        /// - Returns: `false` when there is no memory.
        mutating func append(_ bytes: UnsafeRawPointer, count added: Int, reserving room: Int = 512) -> Bool {
            guard added > 0 else { return true }
            if count + added > capacity, !grow(to: count + added, atLeast: room) { return false }
            guard let base else { return false }
            memcpy(base + count, bytes, added)
            count += added
            return true
        }

        /// Room after the content for `size` bytes, which count after ``added(_:)``; `nil` without memory.
        mutating func room(of size: Int) -> UnsafeMutableRawBufferPointer? {
            if count + size > capacity, !grow(to: count + size, atLeast: size) { return nil }
            return base.map { UnsafeMutableRawBufferPointer(start: $0 + count, count: size) }
        }

        /// Counts bytes that were written into the buffer.
        mutating func added(_ bytes: Int) { count += bytes }

        mutating func removeAll() { count = 0 }

        /// Drops bytes from the front.
        mutating func removeFirst(_ dropped: Int) {
            guard dropped > 0, let base else { return }
            count -= dropped
            memmove(base, base + dropped, count)
        }

        mutating func free() {
            release()
            self = RawBytes()
        }

        /// Frees the memory of a value that is no longer used.
        func release() { Glibc.free(base) }

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
#endif
