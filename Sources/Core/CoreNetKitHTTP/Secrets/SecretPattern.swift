/// Whether a value has the form of a secret, regardless of its name: the only place that inspects values.
///
/// Views remove such values; redirects, caches and keys treat a field of an unknown name with such a value as credentials
/// (``SecretRules/isCredential(field:value:)``).
package enum SecretPattern {
    /// A JSON Web Token, a private key, or a key of a well-known form; if the value is cut, its end may be missing.
    package static func isToken(_ value: some StringProtocol, isCut: Bool = false) -> Bool {
        let bytes = value.utf8
        guard bytes.count >= 16 else { return false }
        switch bytes.first {
        case UInt8(ascii: "e"):
            guard bytes.starts(with: "eyJ".utf8) else { return false }
            return isCut || bytes.count { $0 == UInt8(ascii: ".") } >= 2
        case UInt8(ascii: "-"):
            return bytes.starts(with: "-----BEGIN".utf8) && (isCut || value.contains("PRIVATE KEY"))
        case let first?: guard SecretTable.beginsToken[Int(first)] else { return false }
        case nil: return false
        }
        guard SecretTable.tokenStarts.contains(where: { bytes.starts(with: $0.utf8) }) else { return false }
        return bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// A long text of random letters of both cases and digits.
    package static func isRandom(_ value: some StringProtocol) -> Bool {
        guard value.utf8.count >= 32 else { return false }
        var kinds: UInt8 = 0
        var seen: (low: UInt64, high: UInt64) = (0, 0)
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): kinds |= 1
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): kinds |= 2
            case UInt8(ascii: "0")...UInt8(ascii: "9"): kinds |= 4
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "-"):
                break
            default: return false
            }
            if byte < 64 { seen.low |= 1 << UInt64(byte) } else { seen.high |= 1 << UInt64(byte & 63) }
        }
        return kinds == 7 && seen.low.nonzeroBitCount + seen.high.nonzeroBitCount >= 16
    }

    /// The ranges of the tokens of well-known forms in a text, in bytes: at its start, or after anything but a letter
    /// or a digit.
    ///
    /// If the text is cut, a possible beginning of a token at its end counts, too.
    package static func tokens(in text: some StringProtocol, isCut: Bool = false) -> [Range<Int>] {
        guard text.utf8.count >= shortest || isCut else { return [] }
        let found = text.utf8.withContiguousStorageIfAvailable { tokens(in: $0, isCut: isCut) }
        return found ?? Array(text.utf8).withUnsafeBufferPointer { tokens(in: $0, isCut: isCut) }
    }

    private static func tokens(in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            let first = bytes[index]
            let isPossible = SecretTable.beginsToken[Int(first)]
            if isPossible, isStart(index, of: bytes), let end = end(ofTokenAt: index, in: bytes, isCut: isCut) {
                found.append(index..<end)
                index = end
            } else {
                index += 1
            }
        }
        return found
    }

    /// Whether a token of a known form may begin at a position: a fast check.
    @inline(__always)
    package static func mayBegin(at index: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count - index >= shortest else { return false }
        return SecretTable.beginsToken[Int(bytes[index])] && SecretTable.continuesToken[Int(bytes[index + 1])]
            && SecretTable.tokenBytes.contains { bytes[index...].starts(with: $0) }
    }

    /// Whether a position is not inside a word; the position after an escape, as in `%2FeyJ`, is a start.
    private static func isStart(_ index: Int, of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        index == 0 || !isAlphanumeric(bytes[index - 1]) || index >= 3 && bytes[index - 3] == UInt8(ascii: "%")
    }

    private static func end(ofTokenAt start: Int, in bytes: UnsafeBufferPointer<UInt8>, isCut: Bool) -> Int? {
        let rest = UnsafeBufferPointer(rebasing: bytes[start...])
        var length = rest.prefix { isAlphanumeric($0) || $0 == dot || $0 == dash || $0 == UInt8(ascii: "_") }.count
        let isOpen = isCut && length == rest.count
        // The full stop of a sentence.
        while !isOpen, length > 0, rest[length - 1] == dot { length -= 1 }
        let word = UnsafeBufferPointer(rebasing: rest[..<length])
        if word.starts(with: "eyJ".utf8) {
            let isWhole = length >= shortest && word.count { $0 == dot } >= 2
            return isWhole || isOpen ? start + length : nil
        }
        if word.starts(with: "-----BEGIN".utf8) {
            return isCut || String(decoding: rest, as: UTF8.self).contains("PRIVATE KEY") ? bytes.count : nil
        }
        guard let prefix = SecretTable.tokenStarts.first(where: { word.starts(with: $0.utf8) }) else { return nil }
        return isOpen || isKey(word.dropFirst(prefix.utf8.count), after: prefix) ? start + length : nil
    }

    /// Whether the text after the prefix of a key makes it one: `ASIA-PACIFIC-REGION` and `SG.Annual.Report` are not.
    private static func isKey(_ rest: Slice<UnsafeBufferPointer<UInt8>>, after prefix: String) -> Bool {
        guard rest.count >= 12 else { return false }
        switch prefix {
        case "AKIA", "ASIA": return rest.allSatisfy { $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x41 && $0 <= 0x5A }
        case "AIza", "SG.", "ya29.", "hvs.", "hf_", "npm_":
            return rest.contains { $0 >= 0x30 && $0 <= 0x39 } && rest.contains { $0 >= 0x41 }
        default: return true
        }
    }

    /// Whether a text may be credentials: it contains a token of a known form, or consists of a scheme and its credentials.
    package static func hasToken(_ value: some StringProtocol) -> Bool {
        !tokens(in: value).isEmpty || hasScheme(value)
    }

    /// `Bearer abcdef12`.
    private static func hasScheme(_ value: some StringProtocol) -> Bool {
        guard let space = value.utf8.firstIndex(of: 0x20) else { return false }
        let credentials = value.utf8[space...].dropFirst()
        guard credentials.count >= 8, credentials.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return false }
        let scheme = value[..<space].lowercased()
        return SecretTable.schemes.contains(scheme) || scheme == "token"
    }

    /// A long text of letters and digits that alternate often; not a UUID, 32 hexadecimal digits, or words with numbers.
    package static func isOpaque(_ value: some StringProtocol) -> Bool {
        guard value.utf8.count >= opaqueLength else { return false }
        var (letters, digits, others, changes, last) = (0, 0, 0, 0, Kind.none)
        var isHex = true
        for byte in value.utf8 {
            guard let kind = Kind(byte) else { return false }
            switch kind {
            case .digit: digits += 1
            case .lower, .upper:
                letters += 1
                if (byte | 0x20) > UInt8(ascii: "f") { isHex = false }
            case .none:
                others += 1
                if byte != dash { isHex = false }
            }
            if kind != .none, last != .none, kind != last { changes += 1 }
            last = kind
        }
        guard letters > 0, digits > 0, !(isHex && letters + digits <= 32) else { return false }
        // In a random text every second or third character is of another kind than the previous one.
        return changes * 5 >= value.utf8.count && others * 6 <= value.utf8.count
    }

    private enum Kind {
        case lower, upper, digit, none

        @inline(__always)
        init?(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .lower
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .upper
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."), UInt8(ascii: "~"):
                self = .none
            default: return nil
            }
        }
    }

    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static let dot = UInt8(ascii: ".")
    private static let dash = UInt8(ascii: "-")
    /// Tokens of known forms are at least this long.
    static let shortest = 16
    /// The minimum length of a scheme and its credentials: `Basic dTpwYXNz`.
    static let shortestSchemed = 14
    /// Shorter texts are ids.
    static let opaqueLength = 32
}
