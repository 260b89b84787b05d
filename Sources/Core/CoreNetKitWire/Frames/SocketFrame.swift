package import CoreNetKitEssentials

/// One WebSocket frame to write (RFC 6455, 5.2).
package struct SocketFrame: Sendable, Hashable {
    package var opcode: SocketOpcode
    package var content: Data
    package var isFinal: Bool
    /// Whether the message that it starts is compressed (RFC 7692, 6).
    package var isCompressed: Bool

    /// The most bytes before a frame's content.
    package static let longestHead = 14

    package init(_ opcode: SocketOpcode, _ content: Data = Data(), isFinal: Bool = true, isCompressed: Bool = false) {
        (self.opcode, self.content, self.isFinal, self.isCompressed) = (opcode, content, isFinal, isCompressed)
    }

    /// Adds the frame to bytes for the wire, with the mask of a client's frame, or none for a server's.
    package func append(to bytes: inout Data, mask: SocketMask?) {
        // Only if empty: for bytes that grow frame by frame, each reservation would copy them.
        if bytes.isEmpty { bytes.reserveCapacity(Self.longestHead + content.count) }
        withUnsafeTemporaryAllocation(byteCount: Self.longestHead, alignment: 1) { head in
            let count = writeHead(to: head, mask: mask)
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: head[..<count]))
        }
        bytes.append(content)
        guard let mask, !content.isEmpty else { return }
        let count = content.count
        bytes.withUnsafeMutableBytes { all in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[(all.count - count)...]), offset: 0)
        }
    }

    /// On the stack: frames are many and small.
    private func writeHead(to head: UnsafeMutableRawBufferPointer, mask: SocketMask?) -> Int {
        let masked: UInt8 = mask == nil ? 0 : 0x80
        var count = 2
        head[0] = (isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue
        switch content.count {
        case ...125: head[1] = masked | UInt8(content.count)
        case ...0xFFFF:
            head[1] = masked | 126
            head.storeBytes(of: UInt16(content.count).bigEndian, toByteOffset: 2, as: UInt16.self)
            count += 2
        default:
            head[1] = masked | 127
            head.storeBytes(of: UInt64(content.count).bigEndian, toByteOffset: 2, as: UInt64.self)
            count += 8
        }
        guard let mask else { return count }
        head.storeBytes(of: mask.word, toByteOffset: count, as: UInt32.self)
        return count + 4
    }

    package func bytes(mask: SocketMask?) -> Data {
        var bytes = Data()
        append(to: &bytes, mask: mask)
        return bytes
    }
}

/// What a WebSocket frame carries (RFC 6455, 5.2).
package enum SocketOpcode: UInt8, Sendable, Hashable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    package var isControl: Bool { rawValue >= 8 }
}

package enum SocketRole: Sendable, Hashable {
    /// Masks what it sends.
    case client
    case server
}

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

    /// Masks or unmasks bytes, before which there are `offset` bytes of the frame's content.
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

/// A protocol violation by the other side of a WebSocket, and the close code for it (RFC 6455, 7.4.1).
package struct SocketFault: Error, Sendable, Hashable {
    package let code: UInt16
    package let message: String

    package static func broken(_ message: String) -> SocketFault { SocketFault(code: 1002, message: message) }

    package static let notText = SocketFault(code: 1007, message: "a text is not UTF-8")

    package static let damaged = SocketFault(code: 1007, message: "compressed content does not decompress")

    package static func tooLarge(_ limit: Int) -> SocketFault {
        SocketFault(code: 1009, message: "a message is larger than its limit of \(limit) bytes")
    }

    package static func grows(_ ratio: Int) -> SocketFault {
        SocketFault(code: 1009, message: "a message grows to more than \(ratio) times its size when it is decompressed")
    }

    package static let noMemory = SocketFault(code: 1011, message: "there is no memory to decompress a message")
}

/// The content of close frames (RFC 6455, 5.5.1 and 7.4).
package enum SocketCloseRules {
    /// Stands for a frame without a code; never sent.
    package static let none: UInt16 = 1005
    /// Stands for a connection that ended without a close frame; never sent.
    package static let abnormal: UInt16 = 1006

    /// Whether a close frame may carry the code: RFC 6455, the registry, and the ranges for libraries and applications.
    package static func isForWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The content of a close frame, a long reason cut between two characters; empty for a code that is never sent.
    package static func content(_ code: UInt16, _ reason: String) -> Data {
        guard isForWire(code) else { return Data() }
        var content = Data([UInt8(code >> 8), UInt8(truncatingIfNeeded: code)])
        for character in reason.unicodeScalars {
            let bytes = UTF8.encode(character).map(Array.init) ?? []
            guard content.count + bytes.count <= 125 else { break }
            content.append(contentsOf: bytes)
        }
        return content
    }

    package static func read(_ content: Data) throws(SocketFault) -> (code: UInt16, reason: String) {
        guard !content.isEmpty else { return (none, "") }
        guard content.count >= 2 else { throw .broken("a close frame has half a code") }
        let code = UInt16(content[content.startIndex]) << 8 | UInt16(content[content.startIndex + 1])
        guard isForWire(code) else { throw .broken("a close frame has the code \(code), which is not allowed") }
        guard let reason = String(validating: content.dropFirst(2), as: UTF8.self) else { throw .notText }
        return (code, reason)
    }
}
