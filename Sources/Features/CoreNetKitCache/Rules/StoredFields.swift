package import CoreNetKitHTTP

/// Which fields of a response are stored (RFC 9111, 3.1).
package enum StoredFields {
    /// The fields without those of one connection or one proxy.
    package static func kept(_ headers: Headers) -> Headers {
        let listed = connectionOptions(headers)
        return Headers(
            fields: headers.filter { field in
                !isHopByHop(field.name) && !listed.contains(field.name)
            }
        )
    }

    /// The stored fields updated by a newer response for the same representation (RFC 9111, 3.2).
    ///
    /// Fields that describe the bytes do not change: the stored bytes and their coding stay the same.
    ///
    /// - Parameters:
    ///   - stored: The stored fields.
    ///   - newer: The fields of a 304, or of a response to HEAD.
    /// - Returns: The fields to store from now on.
    package static func merged(_ stored: Headers, with newer: Headers) -> Headers {
        var updates = kept(newer)
        for name in ["Content-Length", "Content-Encoding", "Content-Range"] { updates.remove(name) }
        var merged = stored
        // The age or date of the older exchange does not apply to the newer one.
        merged.remove("Age")
        merged.remove("Date")
        merged.merge(updates)
        return merged
    }

    private static func connectionOptions(_ headers: Headers) -> FieldNameSet {
        let lines = headers[values: "Connection"]
        return FieldNameSet(lines.isEmpty ? [] : FieldScanner.members(of: lines) ?? [])
    }

    private static func isHopByHop(_ name: String) -> Bool {
        let length = name.utf8.count
        return hopByHop.contains { $0.utf8.count == length && Headers.matches($0, name) }
    }

    private static let hopByHop = [
        "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authentication-Info",
        "Proxy-Authorization", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]
}
