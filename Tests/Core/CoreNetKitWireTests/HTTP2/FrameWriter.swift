#if os(Linux)
    /// Frames of a server, written by hand (RFC 9113, 4.1); fields are literals that no table keeps (RFC 7541, 6.2.2).
    struct FrameWriter {
        private(set) var bytes: [UInt8] = []

        static let endStream: UInt8 = 1
        static let endHeaders: UInt8 = 4

        mutating func frame(_ type: UInt8, _ flags: UInt8 = 0, _ stream: Int32 = 0, _ payload: [UInt8] = []) {
            bytes += Self.number(payload.count, 3) + [type, flags] + Self.number(Int(stream), 4) + payload
        }

        mutating func settings(_ settings: [(id: Int, value: Int)] = []) {
            frame(4, 0, 0, settings.flatMap { Self.number($0.id, 2) + Self.number($0.value, 4) })
        }

        mutating func headers(_ stream: Int32, _ fields: [(String, String)], ends: Bool = false) {
            frame(1, Self.endHeaders | (ends ? Self.endStream : 0), stream, Self.block(fields))
        }

        mutating func data(_ stream: Int32, _ text: String, ends: Bool = false) {
            frame(0, ends ? Self.endStream : 0, stream, Array(text.utf8))
        }

        mutating func reset(_ stream: Int32, _ code: Int) { frame(3, 0, stream, Self.number(code, 4)) }

        mutating func goaway(last: Int32, _ code: Int) {
            frame(7, 0, 0, Self.number(Int(last), 4) + Self.number(code, 4))
        }

        static func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
        }

        /// A block of fields; names and values may have up to 16 000 bytes.
        static func block(_ fields: [(String, String)]) -> [UInt8] {
            fields.flatMap { [0x00] + text($0.0) + text($0.1) }
        }

        private static func text(_ text: String) -> [UInt8] {
            var (length, count) = (Array<UInt8>(), text.utf8.count)
            if count < 127 {
                length = [UInt8(count)]
            } else {
                length = [127]
                count -= 127
                while count >= 128 {
                    length.append(UInt8(count & 127 | 128))
                    count >>= 7
                }
                length.append(UInt8(count))
            }
            return length + Array(text.utf8)
        }
    }
#endif
