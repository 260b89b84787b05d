package import CoreNetKitEssentials

/// The content of close frames (RFC 6455, 5.5.1 and 7.4).
package enum SocketCloseRules {
    /// Stands for a frame without a code; never sent.
    package static let none: UInt16 = 1005
    /// Stands for a connection that ended without a close frame; never sent.
    package static let abnormal: UInt16 = 1006

    /// Whether a close frame may carry the code: those that RFC 6455 and the registry define for the wire, and the
    /// ranges for libraries and applications.
    package static func isForWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// The content of a close frame; empty for a code that is never sent.
    ///
    /// A reason that is too long for a frame is cut between two characters.
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

    /// Reads the content of a close frame.
    ///
    /// - Throws: ``SocketFault`` for one byte of content, a code not allowed in a frame, or a reason that is not UTF-8.
    package static func read(_ content: Data) throws(SocketFault) -> (code: UInt16, reason: String) {
        guard !content.isEmpty else { return (none, "") }
        guard content.count >= 2 else { throw .broken("a close frame has half a code") }
        let code = UInt16(content[content.startIndex]) << 8 | UInt16(content[content.startIndex + 1])
        guard isForWire(code) else { throw .broken("a close frame has the code \(code), which is not allowed") }
        guard let reason = String(validating: content.dropFirst(2), as: UTF8.self) else { throw .notText }
        return (code, reason)
    }
}
