#if os(Linux)
    import CNetCodings
#endif
package import CoreNetKitEssentials

/// Compresses messages (RFC 7692, 7.2.1).
package final class MessageDeflater {
    /// Whether there is a library that compresses.
    package static var isAvailable: Bool {
        #if os(Linux)
            cnd_has_messages()
        #else
            false
        #endif
    }

    private let keepsContext: Bool
    private let messages: UnsafeMutableRawPointer

    /// `nil` where there is no library, or no memory.
    package init?(windowBits: Int, keepsContext: Bool) {
        self.keepsContext = keepsContext
        #if os(Linux)
            guard let messages = cnd_messages_open(true, Int32(windowBits)) else { return nil }
            self.messages = messages
        #else
            return nil
        #endif
    }

    deinit {
        #if os(Linux)
            cnd_messages_close(messages)
        #endif
    }

    /// Compresses one message, without the four bytes that end every message.
    ///
    /// - Returns: The content for its frames, `nil` if the library failed.
    package func compress(_ message: Data) -> Data? {
        #if os(Linux)
            var compressed = Data()
            let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 16)
            defer { room.deallocate() }
            let isWhole = message.withUnsafeBytes { bytes in
                var rest = bytes
                while true {
                    var (taken, made) = (rest.count, room.count)
                    let result = cnd_messages_step(messages, rest.baseAddress, &taken, room.baseAddress, &made)
                    guard Int(result) == CND_MORE else { return false }
                    rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
                    compressed.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<made]))
                    if made < room.count, rest.isEmpty { return true }
                }
            }
            guard isWhole else { return nil }
            if !keepsContext { cnd_messages_forget(messages) }
            // Flushing without new input gives nothing at all; one empty block stands for it.
            guard compressed.count >= 4 else { return Data([0]) }
            return compressed.dropLast(4).isEmpty ? Data([0]) : Data(compressed.dropLast(4))
        #else
            return nil
        #endif
    }
}
