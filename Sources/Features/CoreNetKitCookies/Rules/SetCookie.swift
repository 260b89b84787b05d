import CoreNetKitEssentials

/// One parsed `Set-Cookie` field (RFC 6265bis, 5.6), before the check whether its sender may set it.
struct SetCookie: Equatable {
    /// The maximum lifetime of a cookie: 400 days.
    static let longestLife: TimeInterval = 400 * 86_400

    let name: String
    let value: String
    private(set) var expires: Date?
    private(set) var maxAge: TimeInterval?
    private(set) var domain = ""
    private(set) var path: String?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite = Cookie.SameSite.unset

    init?(parsing line: String) {
        let bytes = Array(line.utf8)
        guard !bytes.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        let pair = parts.first ?? []
        if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
            name = Self.trimmed(pair[..<equals])
            value = Self.trimmed(pair[(equals + 1)...])
        } else {
            (name, value) = ("", Self.trimmed(pair))
        }
        guard !(name.isEmpty && value.isEmpty), name.utf8.count + value.utf8.count <= 4096 else { return nil }
        for part in parts.dropFirst() { take(part) }
    }

    /// The expiry date: `Max-Age` takes precedence over `Expires`; `nil` for the end of the session.
    func end(from now: Date) -> Date? {
        let latest = now.addingTimeInterval(Self.longestLife)
        if let maxAge { return maxAge <= 0 ? .distantPast : now.addingTimeInterval(min(maxAge, Self.longestLife)) }
        return expires.map { min($0, latest) }
    }

    private mutating func take(_ attribute: ArraySlice<UInt8>) {
        let equals = attribute.firstIndex(of: UInt8(ascii: "=")) ?? attribute.endIndex
        let name = Self.trimmed(attribute[..<equals]).lowercased()
        let value = Self.trimmed(attribute[equals...].dropFirst())
        guard value.utf8.count <= 1024 else { return }
        switch name {
        case "expires": if let date = CookieDate.parse(value) { expires = date }
        case "max-age": if let seconds = Self.seconds(value) { maxAge = seconds }
        case "domain": domain = CookieDomain.canonical(value.hasPrefix(".") ? String(value.dropFirst()) : value)
        case "path": path = value.hasPrefix("/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = Cookie.SameSite(rawValue: value.lowercased()) ?? .unset
        default: break
        }
    }

    /// A whole number of seconds, with an optional `-`; one that is too large is limited.
    private static func seconds(_ value: String) -> TimeInterval? {
        let isNegative = value.hasPrefix("-")
        let digits = isNegative ? value.dropFirst() : value[...]
        let isNumber = digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumber, !digits.isEmpty else { return nil }
        if isNegative { return 0 }
        return Double(digits).map { min($0, longestLife) } ?? longestLife
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
