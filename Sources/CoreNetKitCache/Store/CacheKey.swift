import CoreNetKitHTTP

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Names a resource in a storage: its URL, and whose responses these are.
///
/// The URL is compared with scheme and host in lower case, without a default port and without its fragment; an empty
/// path is `/`. The query is compared as it stands.
public struct CacheKey: Sendable, Hashable {
    /// The URL as it is compared.
    public let url: String
    /// Whose responses these are; empty for everybody's.
    public let partition: String
    /// Whether the key may be written down: not where the URL has a secret in it, or nobody named the partition.
    public let isPersistent: Bool
    /// Follows from URL and partition, in another way in each process: a key is hashed more often than it is made.
    private let code: UInt64

    /// Creates the key of a URL.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - partition: Whose responses these are; empty for everybody's.
    ///   - isPersistent: Whether entries may outlive the process. A URL with user info, or with an item whose value is
    ///     left out of logs, is never persistent.
    public init(url: URL, partition: String = "", isPersistent: Bool = true) {
        let text = url.absoluteString
        // Nearly every URL is what it is compared as, and has no query to look for secrets in.
        if Self.isPlain(text) {
            self.init(text: text, partition: partition, isPersistent: isPersistent)
        } else {
            let isSecret = isPersistent && Self.hasSecrets(text)
            self.init(text: Self.normalised(text), partition: partition, isPersistent: isPersistent && !isSecret)
        }
    }

    private init(text: String, partition: String, isPersistent: Bool) {
        (url, self.partition, self.isPersistent) = (text, partition, isPersistent)
        code = Self.code(partition, Self.code(text, Self.seed))
    }

    /// The key under which it is kept when a group of this origin was invalidated.
    package func ofGroup(_ name: String) -> CacheKey {
        CacheKey(text: "group \(origin) \(name)", partition: partition, isPersistent: isPersistent)
    }

    /// Equal where URL and partition are.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.code == right.code && left.url == right.url && left.partition == right.partition
    }

    /// Feeds a number that follows from URL and partition.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// The number that a storage may choose a shard by.
    package var shard: Int { Int(truncatingIfNeeded: code >> 40) }

    private static let seed = UInt64.random(in: .min ... .max)

    /// FNV-1a over the bytes, from a start that nobody outside knows.
    private static func code(_ text: String, _ start: UInt64) -> UInt64 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.reduce(start ^ UInt64(bytes.count)) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        }
    }

    /// Whether a URL is `http://` or `https://`, a host in lower case without user and port, a path, and nothing else.
    private static func isPlain(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count > 8, bytes[0] == UInt8(ascii: "h"), bytes[1] == UInt8(ascii: "t"),
                bytes[2] == UInt8(ascii: "t"), bytes[3] == UInt8(ascii: "p")
            else { return false }
            let colon = bytes[4] == UInt8(ascii: "s") ? 5 : 4
            guard bytes[colon] == UInt8(ascii: ":"), bytes[colon + 1] == slash, bytes[colon + 2] == slash else {
                return false
            }
            let start = colon + 3
            var index = start
            while index < bytes.count, bytes[index] != slash {
                switch bytes[index] {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "-"):
                    index += 1
                default: return false
                }
            }
            guard index > start, index < bytes.count else { return false }
            for byte in bytes[index...] where byte == question || byte == fragment || byte == at { return false }
            return true
        }
    }

    /// Scheme, host and port of the URL.
    package var origin: Substring {
        guard let scheme = url.firstRange(of: "://") else { return url[...] }
        return url[..<(url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)]
    }

    private static func hasSecrets(_ text: String) -> Bool {
        let end = text.utf8.firstIndex(of: fragment) ?? text.endIndex
        return Redaction.text(of: text) != text[..<end]
    }

    private static func normalised(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.utf8.firstIndex { $0 == slash || $0 == question || $0 == fragment } ?? rest.endIndex
        var authority = rest[..<end]
        var user = Substring()
        if let at = authority.utf8.lastIndex(of: at) {
            let behind = authority.utf8.index(after: at)
            (user, authority) = (authority[..<behind], authority[behind...])
        }
        let name = text[..<scheme.lowerBound].lowercased()
        for suffix in [":", name == "https" ? ":443" : ":80"] where authority.hasSuffix(suffix) {
            authority = authority.dropLast(suffix.count)
        }
        let tail = rest[end...]
        let shown = tail[..<(tail.utf8.firstIndex(of: fragment) ?? tail.endIndex)]
        let path = shown.utf8.first == slash ? "" : "/"
        return "\(name)://\(user)\(authority.lowercased())\(path)\(shown)"
    }
}

private let slash = UInt8(ascii: "/")
private let question = UInt8(ascii: "?")
private let fragment = UInt8(ascii: "#")
private let at = UInt8(ascii: "@")
