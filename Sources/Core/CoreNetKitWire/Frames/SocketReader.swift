package import CoreNetKitEssentials

/// Reads WebSocket messages from bytes that arrive in pieces of any size (RFC 6455, 5).
///
/// The same bytes give the same events however they are cut, and a fault at its first wrong byte.
package struct SocketReader {
    package enum Event: Sendable, Hashable {
        /// A complete message; a text's bytes are valid UTF-8.
        case message(Data, isText: Bool)
        case ping(Data)
        case pong(Data)
        /// The last event: anything after it is ignored.
        case close(code: UInt16, reason: String)
    }

    private struct Frame {
        let opcode: SocketOpcode
        let isFinal: Bool
        let length: Int
        let mask: SocketMask?
        var left: Int
    }

    private struct Message {
        let isText: Bool
        let isCompressed: Bool
        var content = Data()
        var wire = 0
        var check = UTF8Check()
    }

    private let role: SocketRole
    private let limit: Int
    private let deflate: DeflateAgreement?
    /// Created for the first compressed message, because it takes much memory.
    private var inflater: MessageCodec?
    private let expansion: ExpansionGuard
    private let ratio: Int
    private var chunk = Data()
    private var position = 0
    /// The beginning of a frame's head that was cut by the end of a chunk.
    private var head: [UInt8] = []
    private var frame: Frame?
    private var message: Message?
    private var control = Data()
    private var isOver = false

    /// A message has at most `limit` bytes, compressed or not; above one MiB, a byte of a compressed one may become
    /// `ratio`.
    package init(_ role: SocketRole, limit: Int, deflate: DeflateAgreement? = nil, ratio: Int = 100) {
        (self.role, self.limit, self.ratio) = (role, min(max(0, limit), .max / 2), ratio)
        expansion = ExpansionGuard(ratio: ratio, total: .max)
        self.deflate = deflate
    }

    /// Takes bytes; all events of earlier bytes must have been read.
    package mutating func feed(_ bytes: Data) {
        guard !isOver else { return }
        if position < chunk.count {
            chunk = Data(chunk.dropFirst(position)) + bytes
        } else {
            chunk = bytes
        }
        position = 0
    }

    /// The next event of the bytes so far; `nil` if more bytes are needed.
    package mutating func next() throws(SocketFault) -> Event? {
        do {
            while !isOver {
                guard frame != nil else {
                    guard try readHead() else { break }
                    continue
                }
                if let event = try readContent() { return event }
                guard frame == nil else { break }
            }
            // Releases consumed bytes: the next ones may take long to arrive.
            if position == chunk.count { (chunk, position) = (Data(), 0) }
            return nil
        } catch {
            isOver = true
            (chunk, message, control) = (Data(), nil, Data())
            throw error
        }
    }

    /// - Returns: Whether the head is complete.
    private mutating func readHead() throws(SocketFault) -> Bool {
        while position < chunk.count {
            head.append(chunk[chunk.startIndex + position])
            position += 1
            guard let needed = try headLength(), head.count == needed else { continue }
            try begin()
            head.removeAll(keepingCapacity: true)
            return true
        }
        return false
    }

    /// The head's length as far as its first bytes tell; they are checked as soon as they arrive.
    private func headLength() throws(SocketFault) -> Int? {
        if head.count == 1 { try checkOpcode(head[0]) }
        guard head.count >= 2 else { return nil }
        if head.count == 2 { try checkLength(head[0], head[1]) }
        let extended = head[1] & 0x7F == 126 ? 2 : head[1] & 0x7F == 127 ? 8 : 0
        if head.count == 3, extended == 8, head[2] & 0x80 != 0 { throw .broken("a frame has a negative length") }
        return 2 + extended + (role == .server ? 4 : 0)
    }

    private func checkOpcode(_ byte: UInt8) throws(SocketFault) {
        guard byte & 0x30 == 0 else { throw .broken("a frame has reserved bits that were not negotiated") }
        guard let opcode = SocketOpcode(rawValue: byte & 0x0F) else {
            throw .broken("a frame has the opcode \(byte & 0x0F), which has no meaning")
        }
        if byte & 0x40 != 0, deflate == nil || opcode.isControl || opcode == .continuation {
            throw .broken("a frame is marked as compressed that must not be")
        }
        if opcode.isControl {
            guard byte & 0x80 != 0 else { throw .broken("a control frame is fragmented") }
        } else if opcode == .continuation {
            guard message != nil else { throw .broken("a fragment continues a message that has not begun") }
        } else {
            guard message == nil else { throw .broken("a message begins within another one") }
        }
    }

    private func checkLength(_ first: UInt8, _ second: UInt8) throws(SocketFault) {
        guard (second & 0x80 != 0) == (role == .server) else {
            throw .broken(role == .server ? "a client's frame has no mask" : "a server's frame has a mask")
        }
        if first & 0x08 != 0, second & 0x7F > 125 { throw .broken("a control frame has more than 125 bytes") }
    }

    private mutating func begin() throws(SocketFault) {
        guard let opcode = SocketOpcode(rawValue: head[0] & 0x0F) else { return }
        var length = Int(head[1] & 0x7F)
        let start = role == .server ? head.count - 4 : head.count
        if start > 2 { length = head[2..<start].reduce(0) { $0 << 8 | Int($1) } }
        let mask = role == .server ? SocketMask((head[start], head[start + 1], head[start + 2], head[start + 3])) : nil
        frame = Frame(opcode: opcode, isFinal: head[0] & 0x80 != 0, length: length, mask: mask, left: length)
        guard !opcode.isControl else { return }
        if head[0] & 0x40 != 0, inflater == nil {
            guard let made = deflate?.inflater(for: self.role) else { throw .noMemory }
            inflater = made
        }
        if opcode != .continuation { message = Message(isText: opcode == .text, isCompressed: head[0] & 0x40 != 0) }
        let (wire, isBeyond) = (message?.wire ?? 0).addingReportingOverflow(length)
        // Compressed content may be slightly larger than the message.
        let most = message?.isCompressed == true ? limit + limit / 8 + 1024 : limit
        guard !isBeyond, wire <= most else { throw .tooLarge(limit) }
        message?.wire = wire
        if message?.isCompressed == false, length > 0 { message?.content.reserveCapacity(min(wire, 1 << 20)) }
    }

    private mutating func readContent() throws(SocketFault) -> Event? {
        guard var current = frame else { return nil }
        let count = min(current.left, chunk.count - position)
        if count > 0 {
            let start = chunk.startIndex + position
            var piece = chunk[start..<start + count]
            if let mask = current.mask {
                piece = Data(piece)
                let offset = current.length - current.left
                piece.withUnsafeMutableBytes { mask.apply(to: $0, offset: offset) }
            }
            position += count
            current.left -= count
            frame = current
            try take(piece, current.opcode)
        }
        guard current.left == 0 else { return nil }
        frame = nil
        guard current.opcode.isControl else { return current.isFinal ? try finish() : nil }
        let content = control
        control = Data()
        switch current.opcode {
        case .ping: return .ping(content)
        case .pong: return .pong(content)
        default:
            let (code, reason) = try SocketCloseRules.read(content)
            isOver = true
            (chunk, message) = (Data(), nil)
            return .close(code: code, reason: reason)
        }
    }

    private mutating func take(_ piece: Data, _ opcode: SocketOpcode) throws(SocketFault) {
        guard !opcode.isControl else { return control.append(piece) }
        guard var message else { return }
        self.message = nil
        defer { self.message = message }
        guard message.isCompressed else {
            message.content.append(piece)
            guard message.isText else { return }
            guard piece.withUnsafeBytes({ message.check.accepts($0) }) else { throw .notText }
            return
        }
        let result = piece.withUnsafeBytes { bytes in
            Result { () throws(SocketFault) in try inflate(bytes, &message) }
        }
        try result.get()
    }

    private func inflate(_ bytes: UnsafeRawBufferPointer?, _ message: inout Message) throws(SocketFault) {
        let take = { (made: UnsafeRawBufferPointer, message: inout Message) throws(SocketFault) in
            let allowed = UnsafeRawBufferPointer(rebasing: made.prefix(limit - message.content.count))
            if message.isText, !message.check.accepts(allowed) { throw .notText }
            guard allowed.count == made.count else { throw .tooLarge(limit) }
            message.content.append(contentsOf: made)
            if expansion.refuses(Int64(message.content.count), from: Int64(message.wire)) { throw .grows(ratio) }
        }
        if let bytes {
            try inflater?.add(bytes) { made throws(SocketFault) in try take(made, &message) }
        } else {
            try inflater?.finish { made throws(SocketFault) in try take(made, &message) }
        }
    }

    private mutating func finish() throws(SocketFault) -> Event? {
        guard var message else { return nil }
        self.message = nil
        if message.isCompressed { try inflate(nil, &message) }
        if message.isText, !message.check.isWhole { throw .notText }
        return .message(message.content, isText: message.isText)
    }
}
