import CoreNetKitTransport
import Foundation

/// Refuses what `URLSession` would trap on, repair in silence or send with another meaning.
enum RequestCheck {
    static func host(of url: URL) throws(TransportError) -> String {
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host, !host.isEmpty
        else { throw invalid("the URL is not an absolute http or https URL with a host") }
        #if canImport(FoundationNetworking)
            guard !host.contains(":") else {
                throw unsupported("URLSession on Linux takes no IPv6 address as the host; use a name")
            }
        #endif
        return "\(scheme)://\(host.lowercased()):\(url.port ?? (scheme == "https" ? 443 : 80))"
    }

    static func check(_ method: Method, _ headers: Headers) throws(TransportError) {
        guard isToken(method.rawValue) else { throw invalid("the method is not a token of RFC 9110") }
        guard method != .connect else { throw invalid("CONNECT is made by the transport itself; configure a proxy") }
        for field in headers {
            guard isToken(field.name) else { throw invalid("a header name is not a token of RFC 9110") }
            guard field.value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
                throw invalid("the header \(field.name) has a line break or another control character in its value")
            }
            for name in reserved where Headers.matches(field.name, name) {
                throw invalid("the header \(name) is set by the transport; leave it out")
            }
        }
    }

    static func check(_ timeouts: Timeouts) throws(TransportError) {
        let limits = [
            ("connect", timeouts.connect), ("firstByte", timeouts.firstByte), ("idle", timeouts.idle),
            ("total", timeouts.total),
        ]
        for case (let name, let limit?) in limits where limit <= .zero {
            throw invalid("the timeout \(name) is not above zero; nil means no limit")
        }
    }

    static func isBlank(_ value: String) -> Bool { value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } }

    static func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, phase: .queue, message: message)
    }

    static func unsupported(_ message: String) -> TransportError {
        TransportError(.unsupported, phase: .queue, message: message)
    }

    private static let reserved = ["Host", "Content-Length", "Transfer-Encoding"]

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: punctuation.contains(byte)
                }
            }
    }

    private static let punctuation = Set("!#$%&'*+-.^_`|~".utf8)
}
