public import CoreNetKitEssentials
import CoreNetKitSystem

/// A key in the store: a kind, and a digest of the caller's name.
///
/// The name itself is not stored, because it may be long or secret. A store keeps the values of a key under its ``text``
/// plus a suffix; the braces are a hash tag, which keeps them on one node of a partitioned store.
public struct SharedKey: Sendable, Hashable, CustomStringConvertible {
    /// The kind of value, such as `token`; characters that are not unreserved in a URL are percent-encoded.
    public let kind: String
    /// 32 hexadecimal digits.
    public let digest: String

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - kind: The kind of value, a word chosen by the programmer.
    ///   - name: Distinguishes the key from others of the kind, of any length; 128 bits of its SHA-256 are kept.
    public init(kind: String, _ name: String) { self.init(kind: kind, Data(name.utf8)) }

    /// Creates a key from a name in bytes.
    public init(kind: String, _ name: Data) {
        self.kind = SharedKey.encoded(kind)
        digest = Hex.encode(SHA256.digest(name).prefix(16))
    }

    /// Parses a key from the text of a stored entry: ``text``, possibly with a suffix.
    public init?(text: some StringProtocol) {
        guard text.hasPrefix(SharedKey.start), let end = text.firstIndex(of: "}") else { return nil }
        let rest = text[..<end].dropFirst(SharedKey.start.count)
        let parts = rest.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].utf8.count == 32, Hex.decode(parts[1]) != nil else { return nil }
        (kind, digest) = (String(parts[0]), String(parts[1]))
    }

    /// `{cnk:kind:digest}:`, the prefix of its entries in the store.
    public var text: String { "\(SharedKey.prefix(of: kind))\(digest)}:" }

    /// The same as ``text``.
    public var description: String { text }

    private static let start = "{cnk:"

    /// `{cnk:kind:`, the common prefix of the texts of all keys of a kind.
    public static func prefix(of kind: String) -> String { "\(start)\(encoded(kind)):" }

    /// Percent-encodes a kind; text that is already encoded is unchanged.
    private static func encoded(_ kind: String) -> String {
        String(PercentEncoding.encodeKeepingEscapes(Substring(kind), as: .component))
    }
}

/// A value in the store, with its version.
public struct SharedValue: Sendable, Hashable {
    /// The maximum number of bytes of a value: 16 MiB.
    public static let limit = 16 << 20

    /// The value.
    public let bytes: Data
    /// The version, above 0; it grows with each write.
    public let version: UInt64

    /// Creates a value, for stores.
    public init(bytes: Data, version: UInt64) { (self.bytes, self.version) = (bytes, version) }
}

/// The exclusive right to do something for a limited time.
public struct SharedLease: Sendable, Hashable {
    /// What the lease is for.
    public let key: SharedKey
    /// The owner: a text that is unique for each lease.
    public let owner: String
    /// A number larger than that of every earlier lease for the key.
    public let fencingToken: UInt64

    /// Creates a lease, for stores.
    public init(key: SharedKey, owner: String, fencingToken: UInt64) {
        (self.key, self.owner, self.fencingToken) = (key, owner, fencingToken)
    }
}

/// A change that a store reports.
public enum SharedChange: Sendable, Hashable {
    /// The value of a key was written, was removed or has expired.
    case key(SharedKey)
    /// Anything may have changed.
    case all
}
