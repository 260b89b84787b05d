import CoreNetKitSystem

/// How much of an earlier attempt a download uses.
public struct DownloadResume: Sendable, Hashable {
    let isAllowed: Bool
    var isFromAnywhere = false

    /// Continues a part of the same origin and path, with any query, if the server can prove that the content is the same; a
    /// part from another URL only if a digest is compared.
    ///
    /// The proof, an entity tag or a date, is valid for one resource: another one may have the same validator.
    public static let automatic = DownloadResume(isAllowed: true)
    /// Continues an existing part, whatever URL it came from: the caller states that the content is the same.
    public static let sameContent = DownloadResume(isAllowed: true, isFromAnywhere: true)
    /// Starts over with each call; a retry within the call still resumes.
    public static let never = DownloadResume(isAllowed: false)
}

/// How the content of a download is verified.
public struct DownloadCheck: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case none
        case sha256([UInt8]?)
        case reprDigest(isRequired: Bool)
    }

    let kind: Kind

    /// Whether content is accepted only after a comparison with a digest.
    var isSure: Bool {
        switch kind {
        case .none: false
        case .sha256: true
        case .reprDigest(let isRequired): isRequired
        }
    }

    /// Whether bytes are compared with a digest.
    var isCompared: Bool { kind != .none }

    /// Only by its declared size.
    public static let size = DownloadCheck(kind: .none)

    /// A SHA-256 from another source.
    ///
    /// - Parameter hex: 64 hexadecimal digits; anything else fails every download.
    /// - Returns: The check.
    public static func sha256(_ hex: String) -> DownloadCheck {
        DownloadCheck(kind: .sha256(Hex.decode(hex)))
    }

    /// The server's own SHA-256 of the complete content (`Repr-Digest`, RFC 9530), which is requested.
    ///
    /// - Parameter isRequired: Whether a response without one fails.
    /// - Returns: The check.
    public static func reprDigest(isRequired: Bool = true) -> DownloadCheck {
        DownloadCheck(kind: .reprDigest(isRequired: isRequired))
    }
}

/// Whether an existing target is downloaded again.
public struct DownloadRefresh: Sendable, Hashable {
    let revalidatesFirst: Bool

    /// Loads the content even if the target exists.
    public static let always = DownloadRefresh(revalidatesFirst: false)
    /// Asks the server whether the target is current (`If-None-Match`, `If-Modified-Since`), and loads nothing if it is.
    ///
    /// The validators are stored beside the target, in `<name>.current.json`; they are valid as long as the target was not
    /// modified, for the same origin and path, with any query.
    public static let ifChanged = DownloadRefresh(revalidatesFirst: true)
}
