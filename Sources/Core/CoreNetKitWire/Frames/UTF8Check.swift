/// Checks UTF-8 (RFC 3629, 4) as it arrives: an invalid sequence is found at its first wrong byte.
package struct UTF8Check: Sendable {
    private var missing: UInt8 = 0
    private var (low, high): (UInt8, UInt8) = (0x80, 0xBF)

    package init() {}

    package var isWhole: Bool { missing == 0 }

    /// - Returns: Whether the bytes may still become valid text.
    package mutating func accepts(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 { index = Self.behindASCII(bytes, from: index) }
            guard index < bytes.count else { return true }
            let byte = bytes[index]
            index += 1
            guard missing > 0 else {
                guard begin(byte) else { return false }
                continue
            }
            guard low <= byte, byte <= high else { return false }
            (low, high) = (0x80, 0xBF)
            missing -= 1
        }
        return true
    }

    private static func behindASCII(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index + 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard word & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < bytes.count, bytes[index] < 0x80 { index += 1 }
        return index
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, low) = (2, 0xA0)
        // Surrogates are not characters.
        case 0xED: (missing, high) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, low) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, high) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
