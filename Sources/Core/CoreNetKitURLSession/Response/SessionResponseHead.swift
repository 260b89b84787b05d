import CoreNetKitHTTP
import CoreNetKitWire
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Status and fields, as far as `HTTPURLResponse` preserves them.
struct SessionResponseHead {
    let status: Int
    let headers: Headers
    /// The codings of the content on the wire.
    let codings: ContentCodings

    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        var fields: [Headers.Field] = []
        for case (let name as String, let value as String) in response.allHeaderFields {
            // Lists have the same meaning when joined, except for cookies.
            let values = Headers.matches(name, "Set-Cookie") ? Self.cookies(in: value) : [value]
            fields += values.map { Headers.Field(name: name, value: Self.trimmed($0)) }
        }
        // The platform's dictionary is unordered; this order is always the same.
        let order = fields.enumerated().sorted { left, right in
            let (a, b) = (left.element.name.lowercased(), right.element.name.lowercased())
            return a == b ? left.offset < right.offset : a < b
        }
        headers = Headers(order.map { ($0.element.name, $0.element.value) })
        codings = Self.codings(in: headers)
    }

    private static func codings(in headers: Headers) -> ContentCodings {
        var codings = ContentCodings()
        for value in headers[values: "Content-Encoding"] {
            Array(value.utf8).withUnsafeBytes { codings.add(0..<$0.count, of: $0) }
        }
        return codings
    }

    /// The length of the delivered content; unknown for encoded content, which arrives decoded.
    var length: Int64? {
        guard codings.isEmpty else { return nil }
        return headers["Content-Length"].flatMap(Int64.init)
    }

    private static func trimmed(_ value: String) -> String {
        guard let last = value.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(value[...last])
    }

    /// Splits joined `Set-Cookie` fields: a comma begins a new cookie if a name and `=` follow it.
    ///
    /// Cookie values have no commas (RFC 6265, 4.1.1); the date in `Expires` has one, but no `=` after it.
    static func cookies(in value: String) -> [String] {
        var cookies: [Substring] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " }
            let isCookie = name.endIndex < part.endIndex && part[name.endIndex] == "=" && !name.contains(" ")
            if isCookie || cookies.isEmpty {
                cookies.append(part)
            } else if let last = cookies.popLast() {
                cookies.append(last + "," + part)
            }
        }
        return cookies.map { String($0.drop { $0 == " " }) }
    }
}
