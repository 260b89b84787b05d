public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A request as a mock transport received it, its body read to the end.
public struct MockRequest: Sendable {
    /// One name and value of a query or a form, decoded (`+` is a space).
    public typealias Item = TransportRequest.Item

    /// The method.
    public let method: HTTPMethod
    /// The URL.
    public let url: URL
    /// The header fields, without those that a wire adds (`Host`, `Content-Length`).
    public let headers: Headers
    /// The content: bytes, or the complete content of the file or stream.
    public internal(set) var body = Data()
    /// The trailers.
    public internal(set) var trailers: Headers = [:]
    /// The requested limits.
    public let timeouts: Timeouts
    /// The requested delivery of the response.
    public let delivery: ResponseDelivery
    /// The values of the `:name` segments of the script's path, decoded.
    public internal(set) var parameters: [String: String] = [:]

    let parts: URLParts

    init(_ request: TransportRequest) {
        method = request.method
        url = request.url
        parts = URLParts(request.url.absoluteString)
        headers = request.headers
        timeouts = request.timeouts
        delivery = request.delivery
    }

    /// The path as it was written; `/` if the URL has none.
    public var path: String { parts.path }

    /// The items of the query, in order.
    public var query: [Item] { Item.all(of: parts.query) }

    /// The content as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The items of a content that is `application/x-www-form-urlencoded`, in order.
    public var form: [Item] { Item.all(of: text) }

    /// The first value of a name in the query.
    public func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The first value of a name in the form.
    public func form(_ name: String) -> String? { form.first { $0.name == name }?.value }

    /// Decodes JSON content; throws the error of the decoder.
    public func decodeBody<Value: Decodable>(as type: Value.Type, decoder: JSONDecoder = .init()) throws -> Value {
        try decoder.decode(type, from: body)
    }
}

extension MockRequest: CustomStringConvertible {
    /// Method and path; names but not values of the query, because values may be secret.
    public var description: String {
        let names = query.map { "\($0.name)=…" }.joined(separator: "&")
        return "\(method) \(path)\(names.isEmpty ? "" : "?\(names)")"
    }
}

/// The parts of a URL or of a pattern like one, as they were written.
struct URLParts: Sendable {
    /// Scheme and authority without user info, normalised: `https://example.com:8080`; empty for a path.
    let origin: String
    /// `/` if there is none.
    let path: String
    let query: String

    init(_ text: String) {
        var rest = Substring(text)
        if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
        let mark = rest.firstIndex(of: "?") ?? rest.endIndex
        query = String(rest[mark...].dropFirst())
        rest = rest[..<mark]
        var start = String(rest)
        let read = start.withUTF8 { bytes -> (origin: String, path: String)? in
            guard let parts = Origin.Parts(bytes) else { return nil }
            let written = UnsafeBufferPointer(rebasing: bytes[parts.host])
            let host = HostName.normal(written) ?? String(decoding: written, as: UTF8.self)
            let port = String(decoding: bytes[parts.host.upperBound..<parts.end], as: UTF8.self)
            let path = String(decoding: bytes[parts.end...], as: UTF8.self)
            return ("\(parts.isSecure ? "https" : "http")://\(host)\(port)", path)
        }
        origin = read?.origin ?? ""
        path = read.map { $0.path.isEmpty ? "/" : $0.path } ?? (rest.isEmpty ? "/" : String(rest))
    }
}
