import CoreNetKitSystem

extension DefaultStringInterpolation {
    /// Writes text as one segment of a path, so that it cannot change the rest of the path:
    /// `try base + "/users/\(segment: id)"`.
    ///
    /// Everything but letters, digits and `-._~` is escaped, including `/`, `?`, `#` and `%`.
    ///
    /// - Parameter segment: Untrusted text.
    /// - Throws: ``UrlRouteError`` if the text is empty, `.` or `..`, or has a control character: escaping does not
    ///   prevent these from naming another resource.
    public mutating func appendInterpolation(segment: some StringProtocol) throws(UrlRouteError) {
        appendLiteral(try PercentEncoding.segment(String(segment)))
    }
}

extension PercentEncoding {
    /// The text as one segment of a path.
    package static func segment(_ text: String) throws(UrlRouteError) -> String {
        try URLText.refuseControls(in: text)
        if text.isEmpty || text == "." || text == ".." {
            throw .cantBuildUrl("\"\(text)\" as a path segment would name another resource")
        }
        return encode(text, as: .component)
    }
}
