import CoreNetKitSystem

/// A host in its one normal form, used by settings, pins, connections, cookies and origins.
///
/// Decoded and in lower case; an IPv4 address as four decimal numbers, an IPv6 address shortened and in brackets, a name
/// in Punycode and without a dot at its end.
/// - SeeAlso: [URL, 3.5](https://url.spec.whatwg.org/#host-parsing)
package enum HostName {
    /// The normal form of a host as written in a URL's authority; `nil` if it has none.
    package static func normal(_ host: String) -> String? {
        var host = host
        return host.withUTF8 { normal($0) }
    }

    package static func normal(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if isPlain(bytes) { return text }
        if bytes.first == UInt8(ascii: "[") { return six(text) }
        guard let decoded = PercentEncoding.decodeStrictly(text) else { return nil }
        var name = Punycode.host(decoded)
        if name.utf8.last == dot { name.removeLast() }
        guard !name.isEmpty, name.utf8.last != dot, name.utf8.allSatisfy(isAllowed) else { return nil }
        return endsInNumber(name) ? four(name) : name
    }

    /// Whether a host is plainly in its normal form: a fast check that nearly all hosts pass.
    package static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var (startsLabel, startsWithDigit) = (true, false)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                if startsLabel { (startsLabel, startsWithDigit) = (false, false) }
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if startsLabel { (startsLabel, startsWithDigit) = (false, true) }
            case dot: startsLabel = true
            default: return false
            }
        }
        guard !startsLabel else { return false }
        return !startsWithDigit || isPlainAddress(bytes)
    }

    /// The same for a host as systems write it, an IPv6 address without brackets; unchanged if it has no normal form.
    package static func lookedUp(_ host: String) -> String {
        let isAddress = host.contains(":") && !host.hasPrefix("[")
        let written = isAddress ? "[\(host.replacing("%", with: "%25"))]" : host
        return normal(written).map(withoutZone) ?? host
    }

    /// Whether a host in normal form is an address: no name ends in a number.
    package static func isAddress(_ host: String) -> Bool { host.hasPrefix("[") || endsInNumber(host) }

    /// The host without its zone, which is local to this machine and unknown to the server (RFC 6874, 1).
    package static func withoutZone(_ host: String) -> String {
        guard host.hasPrefix("["), let zone = host.firstIndex(of: "%") else { return host }
        return "\(host[..<zone])]"
    }

    package static let missing = "the URL's host is neither a name nor an address"

    package static func lacksPin(_ host: String) -> String {
        "no key is pinned for \(host), and tls.requiresPins is set: add hosts[\"\(host)\"].pinnedKeys"
    }

    /// All bytes except separators of a URL's parts, spaces, controls and the percent sign.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !forbidden.contains(byte)
    }

    private static let forbidden = Array("#/:<>?@[\\]^|%".utf8)
}

// Host names as the keys of a configuration's settings for single hosts.
extension HostName {
    /// The problem of a name that no URL can have: settings under it, such as pins, would never apply.
    package static func problem(_ name: String) -> String? {
        guard let mistake = mistake(name) else { return nil }
        return "hosts[\"\(name)\"] names no host: \(mistake)"
    }

    private static func mistake(_ name: String) -> String? {
        // The path of a Unix domain socket is case-sensitive.
        if name.hasPrefix("/") { return nil }
        if name.isEmpty { return "it is empty" }
        if name.contains("://") || name.contains("/") { return "write it without scheme and path" }
        if name.contains("*") { return "there are no patterns; name each host" }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) { return "write it in Punycode (xn--…), as in the URL" }
        if name.hasPrefix("["), !name.hasSuffix("]") { return "write the address in brackets, without a port" }
        if name.contains(":"), !name.hasPrefix("[") {
            let isAddress = name.filter { $0 == ":" }.count > 1
            return isAddress ? "write an IPv6 address in brackets" : "write it without a port"
        }
        guard let normal = normal(name).map(withoutZone) else {
            return name.hasPrefix("[") ? "it is no IPv6 address" : "a host's name has letters, digits, hyphens and dots"
        }
        return normal == name ? nil : "write it as \(normal)"
    }
}

/// Addresses as hosts of URLs, whatever their spelling: `0x7f.1` is `127.0.0.1`.
///
/// - SeeAlso: [URL, 3.5](https://url.spec.whatwg.org/#concept-ipv4-parser)
extension HostName {
    /// Whether a host consists of four decimal numbers without leading zeros.
    private static func isPlainAddress(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
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
    private static func endsInNumber(_ name: String) -> Bool {
        guard let last = name.split(separator: ".", omittingEmptySubsequences: false).last, !last.isEmpty else {
            return false
        }
        return last.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } || number(last) != nil
    }

    /// The normal form of an IPv4 address of one to four numbers, of which the last covers the remaining bytes; else `nil`.
    private static func four(_ name: String) -> String? {
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
    private static func six(_ text: String) -> String? {
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

private let dot = UInt8(ascii: ".")
