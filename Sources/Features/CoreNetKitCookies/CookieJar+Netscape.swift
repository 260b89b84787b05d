import CoreNetKitEssentials

// The file format of Netscape, which curl, wget and Python write: seven fields with tabs between them.
extension CookieJar {
    /// Writes the cookies of a partition in the format of Netscape.
    ///
    /// In the order of arrival. Attributes without a place in the format are lost: `SameSite` and the dates of use; a
    /// cookie that does not fit on one line is omitted: with a tab before its value.
    /// - Parameter partition: The user of the cookies.
    /// - Returns: The text of a file, secrets included.
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

    /// Reads cookies in the format of Netscape; those that have ended are left out.
    ///
    /// - Parameters:
    ///   - text: The text of a file.
    ///   - partition: The new user of the cookies.
    /// - Returns: The numbers of the lines that are no cookies, counted from 1.
    @discardableResult
    public func take(netscapeText text: String, partition: String = "") -> [Int] {
        var refused: [Int] = []
        // In the order of the lines, which is that of the requests.
        let start = date
        // By bytes: CR and LF together are one character of a text.
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

    /// Whether nothing of a cookie can move a field to another place.
    private static func isOneLine(_ cookie: Cookie) -> Bool {
        [cookie.name, cookie.path, cookie.domain].allSatisfy { !$0.utf8.contains(0x09) }
            && !cookie.domain.isEmpty && !cookie.domain.hasPrefix("#") && !cookie.domain.hasPrefix(".")
    }

    /// What lies outside the format's numbers is its first or last second.
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
