/// Whether a value has the form of a secret, whatever its name; used only for views of calls.
package enum SecretLook {
    /// A JSON Web Token, a private key, or a key of a well-known form.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isCut: Whether the value's end is missing.
    /// - Returns: Whether it has such a form.
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
}
