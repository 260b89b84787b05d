/// Extracts content from chunks (RFC 9112, 7.1), in place.
package struct ChunkReader: Sendable {
    package enum Event: Sendable {
        /// The remaining bytes are part of a line: pass them again, followed by more.
        case needsMore
        case content(Range<Int>)
        /// The content has ended; the range of the trailer lines, which may be empty.
        case end(trailers: Range<Int>)
        case fault(WireFault)
    }

    private enum State: Sendable {
        case size
        case data(Int64)
        case dataEnd, trailers
    }

    private let limits: WireLimits
    private var state = State.size
    private var scannedCount = 0
    private var extensions = 0
    private var section: FieldSection

    package init(_ limits: WireLimits = WireLimits()) {
        self.limits = limits
        section = FieldSection(limits)
    }

    package var plainContent: Int64 { if case .data(let left) = state { left } else { 0 } }

    /// Notes content that was consumed without parsing: at most ``plainContent``.
    package mutating func took(_ count: Int) {
        guard case .data(let left) = state else { return }
        state = left > count ? .data(left - Int64(count)) : .dataEnd
    }

    /// Continues reading at `position`, which is moved past consumed bytes.
    package mutating func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Event {
        do throws(WireFault) {
            while true {
                switch state {
                case .size:
                    guard let size = try size(bytes, &position) else { return .needsMore }
                    state = size > 0 ? .data(size) : .trailers
                case .data(let left):
                    let count = min(left, Int64(bytes.count - position))
                    guard count > 0 else { return .needsMore }
                    let start = position
                    position += Int(count)
                    state = left > count ? .data(left - count) : .dataEnd
                    return .content(start..<position)
                case .dataEnd:
                    guard bytes.count - position >= 2 else {
                        if position < bytes.count, bytes[position] != 0x0D { throw .chunkEnd }
                        return .needsMore
                    }
                    guard bytes[position] == 0x0D, bytes[position + 1] == 0x0A else { throw .chunkEnd }
                    position += 2
                    state = .size
                case .trailers:
                    let rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
                    guard let count = try section.read(rest) else { return .needsMore }
                    let lines = position..<position + count
                    position = lines.upperBound
                    return .end(trailers: lines)
                }
            }
        } catch {
            return .fault(error)
        }
    }

    /// The size of the next chunk; its line must end with CR and LF, since recipients differ on a lone LF.
    private mutating func size(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) throws(WireFault) -> Int64? {
        guard let end = ASCII.find(0x0A, in: bytes, from: position + scannedCount) else {
            scannedCount = bytes.count - position
            guard scannedCount <= limits.chunkLine else { throw .tooLarge }
            return nil
        }
        defer { (position, scannedCount) = (end + 1, 0) }
        guard end - position <= limits.chunkLine else { throw .tooLarge }
        guard end > position, bytes[end - 1] == 0x0D else { throw .chunkSize }
        var digits = position
        while digits < end - 1, ASCII.isTokenByte(bytes[digits]) { digits += 1 }
        guard let size = ASCII.number(bytes, position..<digits, radix: 16) else { throw .chunkSize }
        if digits < end - 1 { try checkExtensions(bytes, digits..<end - 1) }
        return size
    }

    private mutating func checkExtensions(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) throws(WireFault) {
        var start = range.lowerBound
        while start < range.upperBound, ASCII.isBlank(bytes[start]) { start += 1 }
        guard start == range.upperBound || bytes[start] == UInt8(ascii: ";") else { throw .chunkSize }
        extensions += range.count
        guard extensions <= limits.chunkExtensions else { throw .tooLarge }
        for index in range where !ASCII.isValueByte(bytes[index]) { throw .chunkSize }
    }
}
