public import CoreNetKitEssentials
import CoreNetKitSystem

/// What something has in the store as its name: a kind, and a digest of the name that its owner knows it by.
///
/// The name itself is not kept: it may be long, or secret. What a store has under one key stands under its ``text`` with something
/// behind it, and the braces keep that together where a store is divided by hash tags.
public struct SharedKey: Sendable, Hashable, CustomStringConvertible {
    /// What it is about, as `token`; characters that are no unreserved ones of a URL are percent-encoded.
    public let kind: String
    /// 32 hexadecimal digits.
    public let digest: String

    /// Creates a key.
    ///
    /// - Parameters:
    ///   - kind: What it is about, a word of the programmer's.
    ///   - name: What tells it from others of the kind, of any length; 128 bits of its SHA-256 are kept.
    public init(kind: String, _ name: String) { self.init(kind: kind, Data(name.utf8)) }

    /// Creates a key of a name that is bytes.
    ///
    /// - Parameters:
    ///   - kind: What it is about, a word of the programmer's.
    ///   - name: What tells it from others of the kind.
    public init(kind: String, _ name: Data) {
        self.kind = SharedKey.encoded(kind)
        digest = Hex.encode(SHA256.digest(name).prefix(16))
    }

    /// Reads a key out of the text that a store has it under.
    ///
    /// - Parameter text: ``text``, with anything behind it.
    public init?(text: some StringProtocol) {
        guard text.hasPrefix(SharedKey.start), let end = text.firstIndex(of: "}") else { return nil }
        let parts = text[..<end].dropFirst(SharedKey.start.count).split(
            separator: ":",
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, parts[1].utf8.count == 32, Hex.decode(parts[1]) != nil else { return nil }
        (kind, digest) = (String(parts[0]), String(parts[1]))
    }

    /// `{cnk:kind:digest}:`, the beginning of what it is stored under.
    public var text: String { "\(SharedKey.prefix(of: kind))\(digest)}:" }

    /// The same as ``text``.
    public var description: String { text }

    private static let start = "{cnk:"

    /// What the texts of all keys of a kind begin with.
    ///
    /// - Parameter kind: The kind, as a key is created with it.
    /// - Returns: `{cnk:kind:`.
    public static func prefix(of kind: String) -> String {
        "\(start)\(encoded(kind)):"
    }

    /// What is encoded already stays as it is.
    private static func encoded(_ kind: String) -> String {
        String(PercentEncoding.encodeKeepingEscapes(Substring(kind), as: .component))
    }
}
