/// Paths of requests and of cookies.
enum CookiePath {
    /// The path of a cookie without a path: that of the request without its last segment.
    static func standard(for requestPath: String) -> String {
        guard requestPath.hasPrefix("/"), let slash = requestPath.lastIndex(of: "/"), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    /// Whether a request's path equals the cookie's path or is below it.
    static func matches(_ requestPath: String, _ path: String) -> Bool {
        let requestPath = requestPath.utf8
        let path = path.utf8
        guard requestPath.starts(with: path) else { return false }
        if requestPath.count == path.count || path.last == UInt8(ascii: "/") { return true }
        return requestPath.dropFirst(path.count).first == UInt8(ascii: "/")
    }
}
