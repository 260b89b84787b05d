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

    /// Creates the key of a URL.
    ///
    /// - Parameters:
    ///   - url: An absolute `http` or `https` URL.
    ///   - partition: Whose responses these are; empty for everybody's.
    ///   - isPersistent: Whether entries may outlive the process. A URL with user info, or with an item whose value is
    ///     left out of logs, is never persistent.
    public init(url: URL, partition: String = "", isPersistent: Bool = true) {
        let text = url.absoluteString
        self.url = Self.normalised(text)
        self.partition = partition
        self.isPersistent = isPersistent && !Self.hasSecrets(text)
    }

    private init(text: String, partition: String, isPersistent: Bool) {
        (url, self.partition, self.isPersistent) = (text, partition, isPersistent)
    }

    /// The key under which it is kept when a group of this origin was invalidated.
    package func ofGroup(_ name: String) -> CacheKey {
        CacheKey(text: "group \(origin) \(name)", partition: partition, isPersistent: isPersistent)
    }

    /// Equal where URL and partition are.
    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.url == right.url && left.partition == right.partition
    }

    /// Feeds URL and partition.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(partition)
    }

    /// Scheme, host and port of the URL.
    package var origin: Substring {
        guard let scheme = url.firstRange(of: "://") else { return url[...] }
        return url[..<(url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)]
    }

    private static func hasSecrets(_ text: String) -> Bool {
        let end = text.firstIndex(of: "#") ?? text.endIndex
        return Redaction.text(of: text) != text[..<end]
    }

    private static func normalised(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://") else { return text }
        let rest = text[scheme.upperBound...]
        let end = rest.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? rest.endIndex
        var authority = rest[..<end]
        var user = Substring()
        if let at = authority.lastIndex(of: "@") {
            let behind = authority.index(after: at)
            (user, authority) = (authority[..<behind], authority[behind...])
        }
        let name = text[..<scheme.lowerBound].lowercased()
        for suffix in [":", name == "https" ? ":443" : ":80"] where authority.hasSuffix(suffix) {
            authority = authority.dropLast(suffix.count)
        }
        let tail = rest[end...].prefix { $0 != "#" }
        let path = tail.hasPrefix("/") ? "" : "/"
        return "\(name)://\(user)\(authority.lowercased())\(path)\(tail)"
    }
}
