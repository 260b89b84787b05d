import CoreNetKitEssentials

// The Netscape file format, which curl, wget and Python use: seven fields separated by tabs.
extension CookieJar {
    /// Writes the cookies of a partition in the Netscape format, including secrets, in order of creation.
    ///
    /// `SameSite` and the dates of use have no place in the format; a cookie with a tab before its value is omitted,
    /// because the line would be ambiguous.
    public func netscapeText(partition: String = "") -> String {
        let cookies = allCookies(partition: partition).filter(Self.isOneLine).enumerated().sorted {
            ($0.element.created, $0.offset) < ($1.element.created, $1.offset)
        }
        let lines = cookies.map(\.element).map { cookie in
            [
                (cookie.isHTTPOnly ? "#HttpOnly_" : "") + (cookie.isHostOnly ? "" : ".") + cookie.domain,
                cookie.isHostOnly ? "FALSE" : "TRUE",
                cookie.path,
                cookie.isSecure ? "TRUE" : "FALSE",
                "\(cookie.expires.map(Self.seconds) ?? 0)",
                cookie.name,
                cookie.value,
            ].joined(separator: "\t")
        }
        return (["# Netscape HTTP Cookie File"] + lines).joined(separator: "\n") + "\n"
    }

    /// Reads cookies in the Netscape format, without expired ones; returns the numbers of invalid lines, from 1.
    @discardableResult
    public func take(netscapeText text: String, partition: String = "") -> [Int] {
        var refused: [Int] = []
        // In the order of the lines, which determines the order in requests.
        let start = now().date
        // By bytes: in a text, CR and LF together are one character.
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            var line = Substring(bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes)
            let isHTTPOnly = line.hasPrefix("#HttpOnly_")
            if isHTTPOnly { line = line.dropFirst("#HttpOnly_".count) }
            if line.isEmpty || line.hasPrefix("#") { continue }
            if var cookie = Self.cookie(of: line, isHTTPOnly: isHTTPOnly) {
                cookie.created = start.addingTimeInterval(Double(index) * 0.000_001)
                cookie.lastUsed = cookie.created
                do throws(CookieRefusal) { try set(cookie, partition: partition) } catch { refused.append(index + 1) }
            } else {
                refused.append(index + 1)
            }
        }
        return refused
    }

    /// Whether no text of a cookie can shift the fields of its line.
    private static func isOneLine(_ cookie: Cookie) -> Bool {
        [cookie.name, cookie.path, cookie.domain].allSatisfy { !$0.utf8.contains(0x09) }
            && !cookie.domain.isEmpty && !cookie.domain.hasPrefix("#") && !cookie.domain.hasPrefix(".")
    }

    /// Dates outside the format's range are limited to it.
    private static func seconds(of date: Date) -> Int64 {
        let seconds = date.timeIntervalSince1970.rounded(.up)
        return Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max)
    }

    private static func cookie(of line: Substring, isHTTPOnly: Bool) -> Cookie? {
        let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count >= 6, let seconds = Int64(fields[4]), fields[2].hasPrefix("/") else { return nil }
        let domain = fields[0].hasPrefix(".") ? fields[0].dropFirst() : fields[0]
        guard !domain.isEmpty else { return nil }
        return Cookie(
            name: String(fields[5]),
            value: fields.count > 6 ? String(fields[6]) : "",
            domain: String(domain),
            isHostOnly: fields[1] != "TRUE",
            path: String(fields[2]),
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)),
            isSecure: fields[3] == "TRUE",
            isHTTPOnly: isHTTPOnly
        )
    }
}
