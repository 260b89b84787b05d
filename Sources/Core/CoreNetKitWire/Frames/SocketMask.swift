/// The mask of one frame: four unpredictable bytes (RFC 6455, 5.3 and 10.3).
package struct SocketMask: Sendable, Hashable {
    /// The bytes in wire order, as they are in memory.
    package let word: UInt32

    /// A mask from the system's random generator.
    package static func random() -> SocketMask {
        var generator = SystemRandomNumberGenerator()
        return SocketMask(word: UInt32(truncatingIfNeeded: generator.next() >> 16))
    }

    package init(word: UInt32) { self.word = word }

    package init(_ bytes: (UInt8, UInt8, UInt8, UInt8)) {
        word = withUnsafeBytes(of: bytes) { $0.loadUnaligned(as: UInt32.self) }
    }

    /// Masks or unmasks bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: How many bytes of the frame's content come before them.
    package func apply(to bytes: UnsafeMutableRawBufferPointer, offset: Int) {
        var mask = word
        withUnsafeMutableBytes(of: &mask) { mask in
            let first = offset & 3
            let bytes4 = (mask[first], mask[(first + 1) & 3], mask[(first + 2) & 3], mask[(first + 3) & 3])
            (mask[0], mask[1], mask[2], mask[3]) = bytes4
        }
        let wide = UInt64(mask) << 32 | UInt64(mask)
        var index = 0
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            bytes.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        withUnsafeBytes(of: mask) { mask in
            while index < bytes.count {
                bytes[index] ^= mask[index & 3]
                index += 1
            }
        }
    }
}
