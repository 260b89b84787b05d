package import CoreNetKitEssentials

#if os(Linux)
    import CNetCodings
#endif

/// Compresses or decompresses the messages of one direction (RFC 7692, 7.2).
package final class MessageCodec {
    /// Whether there is a library that compresses.
    package static var isAvailable: Bool {
        #if os(Linux)
            cnd_has_messages()
        #else
            false
        #endif
    }

    private static let roomSize = 16 << 10

    private let state: UnsafeMutableRawPointer
    private let keepsContext: Bool
    /// Whether the content that was decompressed so far ended with a final block, and needs no tail.
    private var isAtEnd = false

    /// `nil` where there is no library, or no memory.
    init?(compresses: Bool, windowBits: Int, keepsContext: Bool) {
        #if os(Linux)
            guard let state = cnd_messages_open(compresses, Int32(windowBits)) else { return nil }
            (self.state, self.keepsContext) = (state, keepsContext)
        #else
            return nil
        #endif
    }

    deinit {
        #if os(Linux)
            cnd_messages_close(state)
        #endif
    }

    /// Compresses one message, without the four bytes that end every message; `nil` if the library failed.
    package func compress(_ message: Data) -> Data? {
        var compressed = Data()
        do {
            try message.withUnsafeBytes { try add($0) { compressed.append(contentsOf: $0) } }
        } catch {
            return nil
        }
        forget()
        // Flushing without new input gives nothing at all; one empty block stands for it.
        guard compressed.count > 4 else { return Data([0]) }
        return Data(compressed.dropLast(4))
    }

    /// Compresses or decompresses bytes of a message, and gives out the result in pieces.
    func add(
        _ bytes: UnsafeRawBufferPointer,
        _ take: (UnsafeRawBufferPointer) throws(SocketFault) -> Void
    ) throws(SocketFault) {
        #if os(Linux)
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.roomSize, alignment: 16)
            defer { room.deallocate() }
            var rest = bytes
            while true {
                var (taken, made) = (rest.count, room.count)
                let result = cnd_messages_step(state, rest.baseAddress, &taken, room.baseAddress, &made)
                rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                // Before the result is checked, so that a fault in the content is found however the bytes are cut.
                if made > 0 { try take(UnsafeRawBufferPointer(rebasing: room[..<made])) }
                switch Int(result) {
                case CND_MORE: if taken > 0 { isAtEnd = false }
                case CND_END: isAtEnd = true
                case CND_NO_MEMORY: throw .noMemory
                default: throw .damaged
                }
                // Room that is left means that these bytes give nothing more.
                guard made == room.count || !rest.isEmpty else { return }
                guard taken > 0 || made > 0 else { throw .damaged }
            }
        #endif
    }

    func finish(_ take: (UnsafeRawBufferPointer) throws(SocketFault) -> Void) throws(SocketFault) {
        if !isAtEnd {
            // The four bytes that the sender has left out.
            let tail: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0xFF, 0xFF)
            try withUnsafeBytes(of: tail) { bytes throws(SocketFault) in try add(bytes, take) }
        }
        isAtEnd = false
        forget()
    }

    private func forget() {
        #if os(Linux)
            if !keepsContext { cnd_messages_forget(state) }
        #endif
    }
}
