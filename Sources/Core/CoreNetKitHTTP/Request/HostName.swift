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

    /// The same for its bytes.
    package static func normal(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        if isPlain(bytes) { return text }
        if bytes.first == UInt8(ascii: "[") { return HostAddress.six(text) }
        guard let decoded = PercentEncoding.decodeStrictly(text) else { return nil }
        var name = Punycode.host(decoded)
        if name.utf8.last == dot { name.removeLast() }
        guard !name.isEmpty, name.utf8.last != dot, name.utf8.allSatisfy(isAllowed) else { return nil }
        return HostAddress.endsInNumber(name) ? HostAddress.four(name) : name
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
        return !startsWithDigit || HostAddress.isPlain(bytes)
    }

    /// The same for a host as systems write it: an IPv6 address without brackets.
    ///
    /// - Returns: The host itself if it has no normal form, which no setting has either.
    package static func lookedUp(_ host: String) -> String {
        let isAddress = host.contains(":") && !host.hasPrefix("[")
        let written = isAddress ? "[\(host.replacing("%", with: "%25"))]" : host
        return normal(written).map(withoutZone) ?? host
    }

    /// Whether a host in normal form is an address: no name ends in a number.
    package static func isAddress(_ host: String) -> Bool { host.hasPrefix("[") || HostAddress.endsInNumber(host) }

    /// The host without its zone, which is local to this machine and unknown to the server (RFC 6874, 1).
    package static func withoutZone(_ host: String) -> String {
        guard host.hasPrefix("["), let zone = host.firstIndex(of: "%") else { return host }
        return "\(host[..<zone])]"
    }

    /// The message for a URL whose host has no normal form.
    package static let missing = "the URL's host is neither a name nor an address"

    /// The message if every server has to be pinned and this one is not.
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
    /// The problem of a name; `nil` if requests can be sent to such a host.
    ///
    /// Settings, such as pins, under a name that no URL can have would never apply: such a name is refused.
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

private let dot = UInt8(ascii: ".")
