/// Percent-encoding of URL parts and forms, on UTF-8 bytes.
package enum PercentEncoding {
    /// Escapes everything that `table` does not keep, including `%`.
    package static func encode(_ text: String, as table: Table) -> String {
        var text = text
        let escaped = text.withUTF8 { bytes -> String? in
            let count = bytes.reduce(into: 0) { $0 += table.keeps($1) || table.spaceIsPlus && $1 == space ? 1 : 3 }
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

    /// Escapes everything but unreserved characters, once; bytes that are not UTF-8 keep their escapes.
    package static func respelled(_ text: Substring, plusIsSpace: Bool = false) -> String {
        decodeStrictly(text, plusIsSpace: plusIsSpace).map { encode($0, as: .component) }
            ?? String(encodeKeepingEscapes(text, as: .component))
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

extension PercentEncoding {
    /// Which ASCII characters are kept; every other byte is escaped.
    package struct Table: Sendable {
        private let low: UInt64
        private let high: UInt64
        package let spaceIsPlus: Bool

        private init(_ kept: String, spaceIsPlus: Bool = false) {
            var bits: (low: UInt64, high: UInt64) = (0, 0)
            for byte in kept.utf8 {
                if byte < 64 { bits.low |= 1 << UInt64(byte) } else { bits.high |= 1 << UInt64(byte - 64) }
            }
            (low, high) = bits
            self.spaceIsPlus = spaceIsPlus
        }

        package func keeps(_ byte: UInt8) -> Bool {
            if byte < 64 { return low >> UInt64(byte) & 1 == 1 }
            return byte < 128 && high >> UInt64(byte - 64) & 1 == 1
        }

        /// One name or value of a query, or one segment of a path: keeps only unreserved characters (RFC 3986, 2.3),
        /// so that no server can take a part of the text for a delimiter, including `+` and `;`.
        package static let component = Table(unreserved)

        /// One name or value of `application/x-www-form-urlencoded`, as the WHATWG URL standard serialises it.
        package static let form = Table(alphanumeric + "*-._", spaceIsPlus: true)

        /// A whole path, with `/` between segments.
        package static let path = Table(unreserved + subDelimiters + ":@/")

        /// A whole query or fragment, with its delimiters.
        package static let queryText = Table(unreserved + subDelimiters + ":@/?")
    }
}

private let alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
private let unreserved = alphanumeric + "-._~"
private let subDelimiters = "!$&'()*+,;="

package enum Hex {
    @inlinable package static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    package static func upperDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [lowerDigit($0 >> 4), lowerDigit($0 & 15)] }, as: UTF8.self)
    }

    /// The bytes, or `nil` if the text is not a sequence of digit pairs.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = value(of: digits[index]), let low = value(of: digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func lowerDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
