#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Scheme, host and port of a URL: what credentials belong to.
///
/// - SeeAlso: [RFC 6454, 4](https://www.rfc-editor.org/rfc/rfc6454#section-4)
public struct Origin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme in lower case.
    public let scheme: String
    /// The host in lower case, escaped as in the URL.
    public let host: String
    /// The port, the scheme's default where the URL names none.
    public let port: Int

    /// The origin of a URL.
    public init(_ url: URL) {
        var text = url.absoluteString
        if let origin = text.withUTF8({ Origin(plain: $0) }) {
            self = origin
        } else {
            let scheme = url.scheme?.lowercased() ?? ""
            self.init(
                scheme: scheme,
                host: url.host(percentEncoded: true)?.lowercased() ?? "",
                port: url.port ?? Self.defaultPort(of: scheme)
            )
        }
    }

    private init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    /// The origin as text, without the scheme's default port.
    public var description: String {
        "\(scheme)://\(host)" + (port == Self.defaultPort(of: scheme) ? "" : ":\(port)")
    }

    private static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }

    /// Reads what most URLs are, `http(s)://host(:port)` in lower case, without taking a whole URL apart.
    private init?(plain text: UnsafeBufferPointer<UInt8>) {
        guard text.starts(with: "http".utf8) else { return nil }
        let isSecure = text.dropFirst(4).first == UInt8(ascii: "s")
        let start = isSecure ? 8 : 7
        guard text.dropFirst(start - 3).starts(with: "://".utf8) else { return nil }
        var end = start
        while end < text.count, Self.isPlain(text[end]) { end += 1 }
        let name = UnsafeBufferPointer(rebasing: text[start..<end])
        var port = isSecure ? 443 : 80
        if end < text.count, text[end] == UInt8(ascii: ":") {
            end += 1
            port = 0
            while end < text.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= text[end], port <= 65535 {
                port = port * 10 + Int(text[end] - UInt8(ascii: "0"))
                end += 1
            }
        }
        guard !name.isEmpty, port > 0,
            end == text.count || text[end] == UInt8(ascii: "/") || text[end] == UInt8(ascii: "?")
        else { return nil }
        self.init(
            scheme: isSecure ? "https" : "http",
            host: String(decoding: name, as: UTF8.self),
            port: port
        )
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
