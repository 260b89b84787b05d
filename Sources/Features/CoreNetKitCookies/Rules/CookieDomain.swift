import CoreNetKitEssentials
import CoreNetKitHTTP

enum CookieDomain {
    /// A host in lower case, without the brackets of an IPv6 address; the path of a Unix domain socket keeps its case.
    static func canonical(_ host: String) -> String {
        if host.hasPrefix("%2F") { return host }
        var host = host[...]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return host.lowercased()
    }

    /// Whether a host equals the domain or is a subdomain of it; addresses have no subdomains.
    static func matches(_ host: String, domain: String) -> Bool {
        if host == domain { return true }
        guard host.utf8.count > domain.utf8.count, host.hasSuffix(domain), !isAddress(host) else { return false }
        return host.utf8.dropLast(domain.utf8.count).last == UInt8(ascii: ".")
    }

    /// Whether a canonical host is an IP address, or the path of a Unix domain socket: neither has subdomains.
    static func isAddress(_ host: String) -> Bool {
        if host.hasPrefix("%2F") || host.utf8.contains(UInt8(ascii: ":")) { return true }
        // A name whose last label is numeric is an IPv4 address in one of its forms.
        guard let last = host.split(separator: ".").last else { return false }
        return last.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    static func above(_ host: String) -> [String] {
        if isAddress(host) { return [host] }
        var domains = [host]
        var rest = host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            if !rest.isEmpty { domains.append(String(rest)) }
        }
        return domains
    }
}

struct CookieOrigin: Sendable, Hashable {
    let host: String
    let path: String
    let isSecure: Bool

    /// Reads a URL; `nil` if it is neither http nor https, or has no host; that of a Unix socket is its escaped path.
    init?(_ url: URL) {
        if let origin = Origin(text: url.absoluteString) {
            (host, isSecure) = (CookieDomain.canonical(origin.host), origin.isSecure)
        } else if let socket = UnixSocket(text: url.absoluteString) {
            (host, isSecure) = (socket.authority, socket.isSecure)
        } else {
            return nil
        }
        let path = url.path(percentEncoded: true)
        self.path = path.isEmpty ? "/" : path
    }

    /// The path of a cookie without a path: that of the request without its last segment.
    static func standardPath(for requestPath: String) -> String {
        guard requestPath.hasPrefix("/"), let slash = requestPath.lastIndex(of: "/"), slash > requestPath.startIndex
        else { return "/" }
        return String(requestPath[..<slash])
    }

    /// Whether a request's path equals the cookie's path or is below it.
    static func isPath(_ requestPath: String, in path: String) -> Bool {
        let (requestPath, path) = (requestPath.utf8, path.utf8)
        guard requestPath.starts(with: path) else { return false }
        if requestPath.count == path.count || path.last == UInt8(ascii: "/") { return true }
        return requestPath.dropFirst(path.count).first == UInt8(ascii: "/")
    }
}
