package import CoreNetKitHTTP

package import CoreNetKitEssentials

/// What a request with an unsafe method invalidates (RFC 9111, 4.4).
package enum Invalidating {
    /// Whether a response with this status to this method invalidates: after an error the resource is unchanged.
    package static func applies(method: HTTPMethod, status: Int) -> Bool {
        !method.isSafe && (200..<400).contains(status)
    }

    /// The URLs that a response invalidates: its own, and those of the same origin that it names.
    package static func urls(of url: URL, headers: Headers) -> [URL] {
        var urls = [url]
        let origin = Origin(url)
        for name in ["Location", "Content-Location"] {
            guard let text = headers[name], let other = URL(string: text, relativeTo: url)?.absoluteURL,
                Origin(other) == origin, !urls.contains(other)
            else { continue }
            urls.append(other)
        }
        return urls
    }
}
