package import CoreNetKitEssentials

/// One WebSocket frame to write (RFC 6455, 5.2).
package struct SocketFrame: Sendable, Hashable {
    package var opcode: SocketOpcode
    package var content: Data
    /// Whether it ends its message.
    package var isFinal: Bool
    /// Whether the message that it starts is compressed (RFC 7692, 6).
    package var isCompressed: Bool

    /// The most bytes before a frame's content.
    package static let longestHead = 14

    package init(_ opcode: SocketOpcode, _ content: Data = Data(), isFinal: Bool = true, isCompressed: Bool = false) {
        (self.opcode, self.content, self.isFinal, self.isCompressed) = (opcode, content, isFinal, isCompressed)
    }

    /// Adds the frame to bytes for the wire.
    ///
    /// - Parameters:
    ///   - bytes: The frame is appended to it.
    ///   - mask: The mask of a client's frame, `nil` for a server's.
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
    ///
    /// - Returns: How many bytes the head has.
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

    /// The bytes of the frame.
    package func bytes(mask: SocketMask?) -> Data {
        var bytes = Data()
        append(to: &bytes, mask: mask)
        return bytes
    }
}
