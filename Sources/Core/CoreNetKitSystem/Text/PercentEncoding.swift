/// Percent-encoding of URL parts and forms, on UTF-8 bytes.
package enum PercentEncoding {
    /// Escapes everything that `table` does not keep, including `%`.
    package static func encode(_ text: String, as table: Table) -> String {
        var text = text
        let escaped = text.withUTF8 { bytes -> String? in
            let count = bytes.reduce(into: 0) { $0 += table.keeps($1) ? 1 : table.length(of: $1) }
            if count == bytes.count, !(table.spaceIsPlus && bytes.contains(space)) { return nil }
            return String(unsafeUninitializedCapacity: count) { output in
                var end = 0
                for byte in bytes { table.write(byte, to: output, at: &end) }
                return end
            }
        }
        return escaped ?? text
    }

    /// Escapes what `table` does not keep, and leaves existing escapes: a `%` is escaped only if no two hex digits
    /// follow.
    package static func encodeKeepingEscapes(_ text: Substring, as table: Table) -> Substring {
        var text = text
        if text.utf8.allSatisfy(table.keeps) { return text }
        return text.withUTF8 { bytes in
            let escaped = String(unsafeUninitializedCapacity: bytes.count * 3) { output in
                var end = 0
                for (index, byte) in bytes.enumerated() {
                    if byte == percent, escapedByte(in: bytes, at: index) != nil {
                        output[end] = byte
                        end += 1
                    } else {
                        table.write(byte, to: output, at: &end)
                    }
                }
                return end
            }
            return escaped[...]
        }
    }

    /// Decodes what it can: a `%` without two hex digits stays, bytes that are not UTF-8 become U+FFFD.
    package static func decode(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        String(decoding: bytes(of: text, plusIsSpace: plusIsSpace).bytes, as: UTF8.self)
    }

    /// Decodes, or returns `nil` if a `%` has no two hex digits or the bytes are not UTF-8.
    package static func decodeStrictly(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        let (bytes, isWellFormed) = bytes(of: text, plusIsSpace: plusIsSpace)
        return isWellFormed ? String(validating: bytes, as: UTF8.self) : nil
    }

    private static func bytes(
        of text: some StringProtocol,
        plusIsSpace: Bool
    ) -> (bytes: [UInt8], isWellFormed: Bool) {
        let input = Array(text.utf8)
        guard input.contains(where: { $0 == percent || $0 == plus }) else { return (input, true) }
        return input.withUnsafeBufferPointer { input in
            var output: [UInt8] = []
            output.reserveCapacity(input.count)
            var isWellFormed = true
            var index = 0
            while index < input.count {
                let byte = input[index]
                index += 1
                if byte == percent {
                    if let decoded = escapedByte(in: input, at: index - 1) {
                        output.append(decoded)
                        index += 2
                        continue
                    }
                    isWellFormed = false
                }
                output.append(plusIsSpace && byte == plus ? space : byte)
            }
            return (output, isWellFormed)
        }
    }

    /// The byte of the escape at `index`, `nil` if there is no complete escape.
    private static func escapedByte(in bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.count,
            let high = Hex.value(of: bytes[index + 1]),
            let low = Hex.value(of: bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }
}

private let percent = UInt8(ascii: "%")
private let plus = UInt8(ascii: "+")
private let space = UInt8(ascii: " ")

extension PercentEncoding.Table {
    fileprivate func length(of byte: UInt8) -> Int {
        spaceIsPlus && byte == space ? 1 : 3
    }

    fileprivate func write(_ byte: UInt8, to output: UnsafeMutableBufferPointer<UInt8>, at end: inout Int) {
        if keeps(byte) {
            output[end] = byte
            end += 1
        } else if spaceIsPlus && byte == space {
            output[end] = plus
            end += 1
        } else {
            output[end] = percent
            output[end + 1] = Hex.upperDigit(byte >> 4)
            output[end + 2] = Hex.upperDigit(byte & 15)
            end += 3
        }
    }
}
