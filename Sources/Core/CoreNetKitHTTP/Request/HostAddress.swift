import CoreNetKitSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Addresses as hosts of URLs, whatever their spelling: `0x7f.1` is `127.0.0.1`.
///
/// - SeeAlso: [URL, 3.5](https://url.spec.whatwg.org/#concept-ipv4-parser)
enum HostAddress {
    /// Whether a host consists of four decimal numbers without leading zeros.
    static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var (dots, value, digits) = (0, 0, 0)
        for byte in bytes {
            if byte == UInt8(ascii: "."), digits > 0 {
                (dots, value, digits) = (dots + 1, 0, 0)
                continue
            }
            guard byte >= 0x30, byte <= 0x39, digits == 0 || value > 0 else { return false }
            (value, digits) = (value * 10 + Int(byte - 0x30), digits + 1)
            guard value <= 255 else { return false }
        }
        return dots == 3 && digits > 0
    }

    /// Whether a name can only be an IPv4 address, because its last label is a number.
    static func endsInNumber(_ name: String) -> Bool {
        guard let last = name.split(separator: ".", omittingEmptySubsequences: false).last, !last.isEmpty else {
            return false
        }
        return last.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } || number(last) != nil
    }

    /// The normal form of an IPv4 address of one to four numbers, of which the last covers the remaining bytes; else `nil`.
    static func four(_ name: String) -> String? {
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false).map(number)
        guard numbers.count <= 4 else { return nil }
        var address: UInt64 = 0
        for (place, number) in numbers.enumerated() {
            let bytes = place == numbers.count - 1 ? 4 - place : 1
            guard let number, number < 1 << UInt64(8 * bytes) else { return nil }
            address = address << UInt64(8 * bytes) | number
        }
        return [24, 16, 8, 0].map { String(address >> UInt64($0) & 255) }.joined(separator: ".")
    }

    /// A decimal number, an octal one after `0`, or a hexadecimal one after `0x`.
    private static func number(_ label: Substring) -> UInt64? {
        guard label.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true else { return nil }
        if label.hasPrefix("0x") {
            let digits = label.dropFirst(2)
            if digits.isEmpty { return 0 }
            return digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
        }
        return UInt64(label, radix: label.utf8.count > 1 && label.hasPrefix("0") ? 8 : 10)
    }

    /// The shortest form of an IPv6 address in brackets (RFC 5952, 4), with its zone (RFC 6874, 2).
    static func six(_ text: String) -> String? {
        guard text.hasSuffix("]") else { return nil }
        let inner = text.dropFirst().dropLast()
        var zone = ""
        if let percent = inner.firstIndex(of: "%") {
            guard inner[percent...].hasPrefix("%25"),
                let name = PercentEncoding.decodeStrictly(inner[percent...].dropFirst(3)), !name.isEmpty
            else { return nil }
            zone = "%25" + PercentEncoding.encode(name, as: .component)
        }
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, String(inner.prefix { $0 != "%" }), &bytes) == 1 else { return nil }
        return "[\(shortened((0..<8).map { UInt16(bytes[2 * $0]) << 8 | UInt16(bytes[2 * $0 + 1]) }))\(zone)]"
    }

    /// The first of the longest runs of zeros becomes `::`; a single zero does not.
    private static func shortened(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        for (place, group) in groups.enumerated() {
            if group != 0 { start = place + 1 }
            if place + 1 - start > max(1, longest.count) { longest = start..<place + 1 }
        }
        func text(_ groups: ArraySlice<UInt16>) -> String {
            groups.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return text(groups[...]) }
        return text(groups[..<longest.lowerBound]) + "::" + text(groups[longest.upperBound...])
    }
}
