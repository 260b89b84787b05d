public import CoreNetKitEssentials
import CoreNetKitHTTP

extension URL {
    /// The server that listens on a Unix domain socket, as a base for routes: `http+unix://%2Frun%2Fapp.sock`.
    ///
    /// Calls to it use only the socket, with `Host: localhost`, over HTTP/1.1, without proxies; redirects neither leave
    /// nor enter it. It is an origin of its own for tokens, cookies and caches. A transport needs
    /// `TransportCapabilities.unixSockets`. The path is absolute, at most 107 bytes on Linux and 103 on Apple's
    /// systems. If it is secure, TLS is used, and the certificate is checked for the name `localhost`.
    /// - Throws: ``UrlRouteError`` if no socket can have the path.
    public static func unixSocket(_ path: String, isSecure: Bool = false) throws(UrlRouteError) -> URL {
        guard let socket = UnixSocket(path: path, isSecure: isSecure), let url = URL(string: socket.text) else {
            let limit = UnixSocket.longestPath
            throw .cantBuildUrl("a socket's path must be absolute and at most \(limit) bytes long")
        }
        return url
    }
}
