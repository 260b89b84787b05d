/// The name by which a configuration has settings of one host.
///
/// A name that no URL can have would be settings, pins among them, that never apply: it is refused instead.
package enum HostName {
    /// What is wrong with a name; `nil` if requests can be sent to such a host.
    package static func problem(_ name: String) -> String? {
        guard let mistake = mistake(name) else { return nil }
        return "hosts[\"\(name)\"] names no host: \(mistake)"
    }

    /// The name of a host for which settings are looked up: `example.org.` is `example.org`.
    package static func key(_ host: String) -> String {
        host.utf8.last == UInt8(ascii: ".") && host.utf8.count > 1 ? String(host.dropLast()) : host
    }

    /// The same for a host as systems name it: in any case, an IPv6 address without brackets.
    package static func lookedUp(_ host: String) -> String {
        let key = key(host.lowercased())
        return key.contains(":") && !key.hasPrefix("[") ? "[\(key)]" : key
    }

    /// The message where every server has to be pinned and this one is not.
    package static func lacksPin(_ host: String) -> String {
        "no key is pinned for \(host), and tls.requiresPins is set: add hosts[\"\(host)\"].pinnedKeys"
    }

    private static func mistake(_ name: String) -> String? {
        // The path of a Unix domain socket, whose case counts.
        if name.hasPrefix("/") { return nil }
        if name.isEmpty { return "it is empty" }
        if name.contains("://") || name.contains("/") { return "write it without scheme and path" }
        if name.contains("*") { return "there are no patterns; name each host" }
        if !name.utf8.allSatisfy({ $0 < 0x80 }) { return "write it in Punycode (xn--…), as in the URL" }
        if name != name.lowercased() { return "write it in lower case" }
        if name.hasPrefix("[") {
            guard name.hasSuffix("]") else { return "write the address in brackets, without a port" }
            return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
                ? nil : "it is no IPv6 address"
        }
        if name.contains(":") {
            let isAddress = name.filter { $0 == ":" }.count > 1
            return isAddress ? "write an IPv6 address in brackets" : "write it without a port"
        }
        if name.hasSuffix(".") { return "write it without the dot at its end" }
        let isName = name.utf8.allSatisfy {
            (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "_")
        }
        return isName ? nil : "a host's name has letters, digits, hyphens and dots"
    }
}
