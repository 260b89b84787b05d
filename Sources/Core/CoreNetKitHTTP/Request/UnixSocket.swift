import CoreNetKitEssentials
import CoreNetKitSystem

/// The Unix domain socket that a URL names: `http+unix://%2Frun%2Fapp.sock/path`, or `https+unix:` for TLS over it.
///
/// The authority is the escaped path of the socket. It has no port and no user info, and the case of its letters counts.
package struct UnixSocket: Sendable, Hashable {
    package let path: String
    package let isSecure: Bool
    /// The end of the authority in the bytes of the URL.
    package let end: Int

    /// The maximum length of a path in bytes: `sun_path` without its terminator.
    package static let longestPath: Int = {
        #if os(Linux)
            107
        #else
            103
        #endif
    }()

    /// `nil` if the path is not absolute, is too long, or contains a control character.
    package init?(path: String, isSecure: Bool) {
        let bytes = path.utf8
        guard bytes.first == slash, bytes.count > 1, bytes.count <= Self.longestPath,
            bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else { return nil }
        (self.path, self.isSecure) = (path, isSecure)
        end = Self.scheme(isSecure).utf8.count + 3 + PercentEncoding.encode(path, as: .component).utf8.count
    }

    /// `nil` if the text names no socket, or an invalid one.
    package init?(text: String) {
        guard let (isSecure, start) = Self.start(of: text) else { return nil }
        let rest = text.utf8.dropFirst(start)
        let authority = rest.prefix { $0 != slash && $0 != question && $0 != mark }
        // A colon or an `@` would be a port or user info; as part of a path they are escaped.
        guard authority.allSatisfy({ $0 != colon && $0 != at && $0 != backslash }),
            let path = PercentEncoding.decodeStrictly(Substring(authority)),
            let socket = UnixSocket(path: path, isSecure: isSecure)
        else { return nil }
        (self.path, self.isSecure) = (socket.path, isSecure)
        end = start + authority.count
    }

    /// Whether a text has the scheme of such URLs, whatever the rest.
    package static func isNamed(in text: String) -> Bool { start(of: text) != nil }

    package var scheme: String { Self.scheme(isSecure) }
    /// The path as an authority, with uniform escapes.
    package var authority: String { PercentEncoding.encode(path, as: .component) }
    /// The URL of the socket without a path: one text for one socket.
    package var text: String { "\(scheme)://\(authority)" }

    private static func scheme(_ isSecure: Bool) -> String { isSecure ? "https+unix" : "http+unix" }

    private static func start(of text: String) -> (isSecure: Bool, start: Int)? {
        // One character rules out nearly all URLs.
        let bytes = text.utf8
        guard bytes.count > 12, bytes.prefix(6).contains(plus) else { return nil }
        let head = text.prefix(13).lowercased()
        if head.hasPrefix("http+unix://") { return (false, 12) }
        return head == "https+unix://" ? (true, 13) : nil
    }
}

private let slash = UInt8(ascii: "/")
private let backslash = UInt8(ascii: "\\")
private let question = UInt8(ascii: "?")
private let mark = UInt8(ascii: "#")
private let colon = UInt8(ascii: ":")
private let plus = UInt8(ascii: "+")
private let at = UInt8(ascii: "@")
