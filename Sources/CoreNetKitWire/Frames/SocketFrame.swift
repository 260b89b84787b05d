package import CoreNetKitEssentials

/// One WebSocket frame to write (RFC 6455, 5.2).
package struct SocketFrame: Sendable, Hashable {
    package var opcode: SocketOpcode
    package var content: Data
    /// Whether it ends its message.
    package var isFinal: Bool
    /// Whether the message that it starts is compressed (RFC 7692, 6).
    package var isCompressed: Bool

    package init(_ opcode: SocketOpcode, _ content: Data = Data(), isFinal: Bool = true, isCompressed: Bool = false) {
        (self.opcode, self.content, self.isFinal, self.isCompressed) = (opcode, content, isFinal, isCompressed)
    }

    /// Adds the frame to bytes for the wire.
    ///
    /// - Parameters:
    ///   - bytes: The frame is appended to it.
    ///   - mask: The mask of a client's frame, `nil` for a server's.
    package func append(to bytes: inout Data, mask: SocketMask?) {
        var head: [UInt8] = [(isFinal ? 0x80 : 0) | (isCompressed ? 0x40 : 0) | opcode.rawValue]
        let masked: UInt8 = mask == nil ? 0 : 0x80
        switch content.count {
        case ...125: head.append(masked | UInt8(content.count))
        case ...0xFFFF:
            head.append(masked | 126)
            withUnsafeBytes(of: UInt16(content.count).bigEndian) { head.append(contentsOf: $0) }
        default:
            head.append(masked | 127)
            withUnsafeBytes(of: UInt64(content.count).bigEndian) { head.append(contentsOf: $0) }
        }
        if let mask { withUnsafeBytes(of: mask.word) { head.append(contentsOf: $0) } }
        // Only if empty: for bytes that grow frame by frame, each reservation would copy them.
        if bytes.isEmpty { bytes.reserveCapacity(head.count + content.count) }
        bytes.append(contentsOf: head)
        bytes.append(content)
        guard let mask, !content.isEmpty else { return }
        let count = content.count
        bytes.withUnsafeMutableBytes { all in
            mask.apply(to: UnsafeMutableRawBufferPointer(rebasing: all[(all.count - count)...]), offset: 0)
        }
    }

    /// The bytes of the frame.
    package func bytes(mask: SocketMask?) -> Data {
        var bytes = Data()
        append(to: &bytes, mask: mask)
        return bytes
    }
}
