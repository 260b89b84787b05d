public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// A completed download.
public struct Download: Sendable {
    /// The file.
    public let file: URL
    /// Its size in bytes.
    public let size: Int
    /// How many of its bytes were already there before this call.
    public let reused: Int
    /// Whether the existing file was current and nothing was loaded (``DownloadRefresh/ifChanged``).
    public let isUnchanged: Bool
    /// The fields of the last response.
    public let headers: Headers
    /// The URL of the last response.
    public let url: URL
}

/// How much of an earlier attempt a download uses.
public struct DownloadResume: Sendable, Hashable {
    let isAllowed: Bool
    var isFromAnywhere = false

    /// Continues a part of the same origin and path, with any query, if an entity tag or a date proves that the content is the
    /// same; a part from another URL only if a digest is compared, because such a proof is valid for one resource.
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

    /// Only by its declared size.
    public static let size = DownloadCheck(kind: .none)

    /// A SHA-256 from another source: 64 hexadecimal digits; anything else fails every download.
    public static func sha256(_ hex: String) -> DownloadCheck { DownloadCheck(kind: .sha256(Hex.decode(hex))) }

    /// The server's own SHA-256 of the complete content (`Repr-Digest`, RFC 9530), which is requested.
    ///
    /// If it is required, a response without one fails with `missingDigest`; otherwise such content is accepted unchecked.
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

/// Why a download failed, if neither the connection nor the status is the reason: the cause of the chain's error.
public struct DownloadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Another download, perhaps of another process, writes to the same target.
        public static let targetBusy = Code("targetBusy")
        /// The target is a folder.
        public static let targetIsFolder = Code("targetIsFolder")
        /// A file operation failed, for example because the disk is full.
        public static let fileFailed = Code("fileFailed")
        /// The bytes do not match the expected digest; they are deleted.
        public static let digestMismatch = Code("digestMismatch")
        /// The server sent no digest to compare with.
        public static let missingDigest = Code("missingDigest")
        /// The response does not fit the request.
        public static let unusableResponse = Code("unusableResponse")
        /// The content changed more than once while it was loaded.
        public static let changedAgain = Code("changedAgain")
        /// The content ended before its declared size, or continued beyond it.
        public static let sizeMismatch = Code("sizeMismatch")
        /// The server compresses the content, so that it cannot be resumed or compared.
        public static let codedContent = Code("codedContent")
    }

    /// The class of failure.
    public let code: Code
    /// One line: the problem and its reason.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line.
    public var description: String { "\(code): \(message)" }
}
