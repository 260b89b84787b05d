public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitWire

/// A request as a loopback server received it, both raw and parsed.
public struct LoopbackRequest: Sendable {
    /// One name and value of a query or a form, decoded (`+` is a space).
    public typealias Item = TransportRequest.Item

    /// The position among all requests of the server, from 0, in the order in which they were read completely.
    public internal(set) var index = 0
    /// The number of the connection, from 0, in the order of their acceptance.
    public let connection: Int
    /// The method.
    public let method: HTTPMethod
    /// The request target as it was written.
    public let target: String
    /// The number of bytes of the content, including those that the server's body limit dropped.
    public let bodyLength: Int
    /// The values of the `:name` segments of the route's path, decoded.
    public internal(set) var parameters: [String: String] = [:]

    let rawBytes: [UInt8]
    let headLength: Int
    let decodedBody: [UInt8]?
    let trailerBytes: Range<Int>

    /// The request as it was on the wire, chunk framing included; an HTTP/2 one as HTTP/1.1 would write it, without framing.
    public var raw: Data { Data(rawBytes) }

    /// The head as it was on the wire, with the empty line; of HTTP/2, `GET / HTTP/2` and the fields as they came.
    public var head: String { String(decoding: rawBytes[..<headLength], as: UTF8.self) }

    /// The version that the client spoke: `1.0`, `1.1`, or `2`.
    public var httpVersion: String {
        let line = rawBytes.prefix { $0 != 0x0D && $0 != 0x0A }
        let start = line.lastIndex(of: UInt8(ascii: "/")) ?? line.startIndex
        return String(decoding: line[start...].dropFirst(), as: UTF8.self)
    }

    /// The content, without chunk framing.
    public var body: Data { decodedBody.map { Data($0) } ?? Data(rawBytes[headLength...]) }

    /// The content as UTF-8 text.
    public var text: String {
        decodedBody.map { String(decoding: $0, as: UTF8.self) }
            ?? String(decoding: rawBytes[headLength...], as: UTF8.self)
    }

    /// The header fields, in wire order; a value that is not UTF-8 is read as Latin-1.
    public var headers: Headers { fields(rawBytes[..<headLength], skipsFirst: true) }

    /// The fields after a chunked body.
    public var trailers: Headers { fields(rawBytes[trailerBytes], skipsFirst: false) }

    private func fields(_ bytes: ArraySlice<UInt8>, skipsFirst: Bool) -> Headers {
        Headers(fields: bytes.withUnsafeBytes { HeaderLines.fields(in: $0, skipsFirst: skipsFirst) })
    }

    /// The path as it was written, without scheme, authority and query.
    public var path: String { String(parts.path) }

    /// The items of the query, in order.
    public var query: [Item] { Item.all(of: parts.query) }

    /// The items of a content that is `application/x-www-form-urlencoded`, in order.
    public var form: [Item] { Item.all(of: text) }

    /// The first value of a name in the query.
    public func query(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// The first value of a name in the form.
    public func form(_ name: String) -> String? { form.first { $0.name == name }?.value }

    /// Decodes JSON content; throws the error of the decoder.
    public func json<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: body)
    }
}

extension LoopbackRequest {
    /// Path and query of the target in origin, absolute or authority form.
    private var parts: (path: Substring, query: Substring) {
        var rest = Substring(target)
        if !rest.hasPrefix("/"), let scheme = rest.firstRange(of: "://")?.upperBound {
            let afterScheme = rest[scheme...]
            rest = afterScheme.firstIndex { $0 == "/" || $0 == "?" }.map { afterScheme[$0...] } ?? "/"
        }
        let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?"))
        return (mark.map { rest[..<$0] } ?? rest, mark.map { rest[rest.utf8.index(after: $0)...] } ?? "")
    }
}
