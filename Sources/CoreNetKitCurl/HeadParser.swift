#if os(Linux)
    import CoreNetKitHTTP
    /// Reads field lines from the bytes of a response's head.
    enum HeadParser {
        /// Parses a head that starts with its status line; lines without a colon are passed over.
        ///
        /// A folded line joins the value before it with one space. Bytes that are not UTF-8 are read as Latin-1.
        static func fields(in head: UnsafeRawBufferPointer) -> [Headers.Field] {
            lines(in: head, from: lineEnd(in: head, from: 0) + 1)
        }

        /// Parses field lines without a first line before them: trailers.
        static func lines(in head: UnsafeRawBufferPointer, from first: Int = 0) -> [Headers.Field] {
            var fields: [Headers.Field] = []
            fields.reserveCapacity(12)
            var start = first
            while start < head.count {
                let end = lineEnd(in: head, from: start)
                let line = UnsafeRawBufferPointer(rebasing: head[start..<end])
                start = end + 1
                guard let first = line.first else { continue }
                if isBlank(first) {
                    fold(line, into: &fields)
                } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 {
                    let name = trimmed(line, 0, colon)
                    guard name.count > 0 else { continue }
                    fields.append(
                        Headers.Field(name: text(name), value: text(trimmed(line, colon + 1, line.count)))
                    )
                }
            }
            return fields
        }

        /// The words behind the status code of a head that starts with its status line.
        static func reason(in head: UnsafeRawBufferPointer) -> String {
            let line = UnsafeRawBufferPointer(rebasing: head[..<lineEnd(in: head, from: 0)])
            guard let first = line.firstIndex(of: 0x20) else { return "" }
            guard let second = line[(first + 1)...].firstIndex(of: 0x20) else { return "" }
            return text(trimmed(line, second + 1, line.count))
        }

        private static func fold(_ line: UnsafeRawBufferPointer, into fields: inout [Headers.Field]) {
            let more = trimmed(line, 0, line.count)
            guard let last = fields.indices.last, more.count > 0 else { return }
            fields[last].value += fields[last].value.isEmpty ? text(more) : " " + text(more)
        }

        private static func lineEnd(in head: UnsafeRawBufferPointer, from start: Int) -> Int {
            var index = start
            while index < head.count, head[index] != UInt8(ascii: "\n") { index += 1 }
            return index
        }

        private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

        private static func trimmed(_ line: UnsafeRawBufferPointer, _ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
            var start = from
            var end = to
            while start < end, isBlank(line[start]) { start += 1 }
            while end > start, isBlank(line[end - 1]) || line[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            return UnsafeRawBufferPointer(rebasing: line[start..<end])
        }

        private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
            // Nearly all fields are ASCII; validating would look up generic types at run time.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            if let text = String(validating: bytes, as: UTF8.self) { return text }
            var text = ""
            for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
            return text
        }
    }
#endif
