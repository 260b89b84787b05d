package import CoreNetKitHTTP

/// How the content of a request is delimited (RFC 9112, 6.3).
package enum RequestFraming: Sendable, Hashable {
    /// There is no content, and no field says so.
    case none
    case length(Int64)
    case chunked
}

/// Writes an HTTP/1.1 request (RFC 9112, 3 and 5), checked before, into memory that is large enough for it.
package struct RequestWriter {
    /// Bytes of a head besides its method, target, host and fields.
    package static let overhead = 64
    /// Bytes of a field besides its name and its value: a colon, a space and a line end.
    package static let fieldOverhead = 4
    /// The maximum number of bytes before and after a chunk (RFC 9112, 7.1).
    package static let chunkOverhead = 20

    private let start: UnsafeMutableRawPointer
    private var cursor: UnsafeMutableRawPointer

    package init(_ memory: UnsafeMutableRawPointer) { (start, cursor) = (memory, memory) }

    package var count: Int { cursor - start }

    package mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        cursor.copyMemory(from: base, byteCount: bytes.count)
        cursor += bytes.count
    }

    package mutating func write(_ string: String) {
        var string = string
        string.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    package mutating func write(_ string: inout String, _ range: Range<Int>) {
        string.withUTF8 { write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer($0)[range])) }
    }

    package mutating func write(_ text: StaticString) {
        write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    package mutating func endLine() {
        cursor.storeBytes(of: 0x0D, as: UInt8.self)
        cursor.storeBytes(of: 0x0A, toByteOffset: 1, as: UInt8.self)
        cursor += 2
    }

    package mutating func field(_ name: String, _ value: String) {
        write(name)
        cursor.storeBytes(of: UInt8(ascii: ":"), as: UInt8.self)
        cursor += 1
        if !value.utf8.isEmpty {
            cursor.storeBytes(of: 0x20, as: UInt8.self)
            cursor += 1
            write(value)
        }
        endLine()
    }

    /// Writes the framing field, and the end of the head.
    package mutating func endHead(_ framing: RequestFraming) {
        switch framing {
        case .none: break
        case .length(let length):
            write("Content-Length: ")
            write(number: UInt64(max(0, length)), radix: 10)
            endLine()
        case .chunked: write("Transfer-Encoding: chunked\r\n")
        }
        endLine()
    }

    package mutating func chunk(size: Int) {
        write(number: UInt64(max(0, size)), radix: 16)
        endLine()
    }

    package mutating func lastChunk(_ trailers: [Headers.Field] = []) {
        write("0\r\n")
        for field in trailers { self.field(field.name, field.value) }
        endLine()
    }

    package static func lastChunkCount(_ trailers: [Headers.Field]) -> Int {
        trailers.reduce(5) { $0 + $1.name.utf8.count + $1.value.utf8.count + fieldOverhead }
    }

    private mutating func write(number: UInt64, radix: UInt64) {
        var digits = 1
        var rest = number / radix
        while rest > 0 { (digits, rest) = (digits + 1, rest / radix) }
        rest = number
        for index in stride(from: digits - 1, through: 0, by: -1) {
            let digit = UInt8(rest % radix)
            cursor.storeBytes(of: digit + (digit < 10 ? 0x30 : 0x57), toByteOffset: index, as: UInt8.self)
            rest /= radix
        }
        cursor += digits
    }
}

/// How much of a request its server may have received, which decides whether it may be sent again; it never goes back.
package enum RequestProgress: Sendable, Hashable, CaseIterable {
    case nothing
    /// Bytes of the head were sent, perhaps all of them, but none of the content.
    case head
    case part, all, responded
    /// The server says that it did nothing with the request: a refused stream (RFC 9113, 8.7), or a 408 on a kept
    /// connection, whose server waited in vain for a request (RFC 9110, 15.5.9).
    case refused

    /// More of the request was sent; a response may arrive before the last of it.
    package mutating func advance(to progress: RequestProgress) {
        switch self {
        case .nothing, .head, .part, .all: self = progress
        case .responded, .refused: break
        }
    }

    /// What is known about the server if the connection is lost now.
    package var evidence: Resending.Evidence {
        switch self {
        case .nothing, .refused: .unprocessed
        case .head, .part, .all, .responded: .possiblyProcessed
        }
    }
}
