public import CoreNetKitEssentials

extension Optional where Wrapped == URL {
    /// Appends a path to a base URL, with exactly one `/` between them.
    ///
    /// A `?` or `#` in `path` starts a query or fragment; the base's own query is kept and comes first.
    /// Escapes (`%2F`) are kept; characters that are not valid in a URL, such as a space or a non-ASCII character, are
    /// escaped. `.` and `..` segments are not changed, and servers resolve them: write untrusted text as
    /// `"/users/\(segment: id)"`.
    ///
    /// - Parameters:
    ///   - base: The base; `nil`, which `URL(string:)` returns for invalid text, is an error.
    ///   - path: The path below the base.
    /// - Returns: The URL.
    /// - Throws: ``UrlRouteError`` if the base is `nil`, or `path` has a control character such as CR or LF.
    public static func + (base: URL?, path: String) throws(UrlRouteError) -> URL {
        guard let base else { throw .cantBuildUrl("the base URL is nil, so its text was not a URL") }
        if let url = URLText.join(base, path) { return url }
        try URLText.refuseControls(in: path)
        let added = URLText(reference: path[...]).escaped
        var parts = URLText(base.absoluteString)
        if !added.path.isEmpty {
            let slash = UInt8(ascii: "/")
            let end = parts.path.utf8.lastIndex { $0 != slash }.map(parts.path.utf8.index(after:))
            parts.path = parts.path[..<(end ?? parts.path.startIndex)]
            parts.path += "/"
            parts.path += Substring(added.path.utf8.drop { $0 == slash })
        }
        if let query = added.query { parts.append(query: query) }
        parts.fragment = added.fragment ?? parts.fragment
        guard let url = parts.url else { throw .cantBuildUrl("\(parts.safe) is not a valid URL") }
        return url
    }
}

extension URL {
    /// Adds items after the URL's own query, which is unchanged, and before the fragment.
    ///
    /// `query` is escaped text such as `a=b&c=d`; nothing is added if it is empty.
    package func appending(query: String) throws(UrlRouteError) -> URL {
        guard !query.isEmpty else { return self }
        var parts = URLText(absoluteString)
        parts.append(query: query[...])
        guard let url = parts.url else { throw .cantBuildUrl("\(parts.safe) takes no query") }
        return url
    }
}

extension URLText {
    fileprivate mutating func append(query added: Substring) {
        guard let own = query, !own.isEmpty else {
            query = added
            return
        }
        query = own.hasSuffix("&") || added.isEmpty ? own + added : own + "&" + added
    }
}
