/// Bytes as other people's tests and documents write them.
enum ForeignText {
    /// Undoes the escapes of C and Python: `\r`, `\n`, `\t`, `\\`, quotes, `\xNN`.
    static func bytes(_ text: Substring) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            switch kind {
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "x"):
                bytes.append(UInt8(String(Substring(rest.prefix(2))), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            default: bytes.append(kind)
            }
        }
        return bytes
    }

    /// The value of a Python expression at the beginning of a text: literals of bytes that are joined, added and repeated.
    ///
    /// - Returns: The bytes, with what is behind the expression; `nil` where there is none.
    static func pythonBytes(_ text: Substring) -> (bytes: [UInt8], rest: Substring)? {
        var (bytes, rest, hasFound) = ([UInt8](), text.drop(while: \.isWhitespace), false)
        while let match = rest.prefixMatch(of: /b(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')/) {
            hasFound = true
            var piece = Self.bytes(match.1 ?? match.2 ?? "")
            rest = rest[match.range.upperBound...].drop(while: \.isWhitespace)
            if let times = rest.prefixMatch(of: /\*\s*(0x)?([0-9A-Fa-f]+)/) {
                let count = Int(times.2, radix: times.1 == nil ? 10 : 16) ?? 0
                piece = Array(repeatElement(piece, count: count).joined())
                rest = rest[times.range.upperBound...].drop(while: \.isWhitespace)
            }
            bytes += piece
            if rest.first == "+" { rest = rest.dropFirst().drop(while: \.isWhitespace) }
        }
        return hasFound ? (bytes, rest) : nil
    }

    /// The text from a parenthesis to the one that closes it, without either; strings are passed over.
    static func insideOfParentheses(_ text: Substring) -> Substring {
        var (depth, quote, isEscaped) = (0, Character?.none, false)
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if !isEscaped, character == open { quote = nil }
                isEscaped = !isEscaped && character == "\\"
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "(": depth += 1
            case ")":
                depth -= 1
                if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
            default: break
            }
        }
        return text.dropFirst()
    }
}
