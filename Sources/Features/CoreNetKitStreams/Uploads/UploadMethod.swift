public import CoreNetKitEssentials
public import CoreNetKitHTTP
import CoreNetKitSystem

/// The protocol of a resumable upload.
public struct UploadMethod: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case tus(metadata: [String: String])
        case draft(isCareful: Bool, Interop)

        /// The fields that name the protocol's version.
        var version: Headers {
            switch self {
            case .tus: ["Tus-Resumable": "1.0.0"]
            case .draft(_, let interop): ["Upload-Draft-Interop-Version": "\(interop.rawValue)"]
            }
        }
    }

    /// The interop version of the draft, which is raised by breaking changes: a server offers to resume only an upload of its own.
    public enum Interop: Int, Sendable, Hashable, CaseIterable {
        /// That of draft-ietf-httpbis-resumable-upload-04 and -05.
        case version6 = 6
        /// That of -09, -10 and -11.
        case version8 = 8
        /// That of -12.
        case version9 = 9

        /// Whether a success reports how much the server has; otherwise it has all of the request.
        var reportsOffset: Bool { self == .version6 }
    }

    /// The checksum by which a tus server detects damaged bytes of a request.
    public struct Checksum: Sendable, Hashable {
        let name: String

        /// SHA-1, which every server with this extension supports.
        public static let sha1 = Checksum(name: "sha1")
        /// SHA-256, if the server supports it.
        public static let sha256 = Checksum(name: "sha256")

        func field(_ bytes: Data) -> String {
            let digest = self == .sha1 ? SHA1.digest(bytes) : SHA256.digest(bytes)
            return "\(name) \(Data(digest).base64EncodedString())"
        }
    }

    let kind: Kind
    /// The maximum number of bytes of one request; `nil` for all remaining bytes.
    var chunk: Int?
    private(set) var checksum: Checksum?

    /// tus 1.0.
    ///
    /// The metadata are facts about the file for the server, such as `filename`; names are visible ASCII without commas.
    /// `chunk` is the maximum number of bytes of one request, for servers and proxies that limit it. With a checksum, for
    /// servers with the extension `checksum`, the bytes of a request are held in memory: `chunk`, or 4 MiB.
    public static func tus(
        metadata: [String: String] = [:],
        chunk: Int? = nil,
        checksum: Checksum? = nil
    ) -> UploadMethod {
        UploadMethod(kind: .tus(metadata: metadata), chunk: chunk.map { max(1, $0) }, checksum: checksum)
    }

    /// Resumable uploads of the IETF's HTTP working group, with at most `chunk` bytes in a request.
    ///
    /// If `isCareful`, a separate request creates the upload. Otherwise the first request carries the whole content, which
    /// costs nothing if the server does not support resumption.
    public static func draft(
        isCareful: Bool = false,
        chunk: Int? = nil,
        interop: Interop = .version8
    ) -> UploadMethod {
        UploadMethod(kind: .draft(isCareful: isCareful, interop), chunk: chunk.map { max(1, $0) })
    }

    /// A metadata name that is invalid in the field, where pairs of name and value are separated by a space.
    var malformedName: String? {
        guard case .tus(let metadata) = kind else { return nil }
        return metadata.keys.sorted().first { name in
            name.isEmpty || !name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") }
        }
    }
}

/// A completed upload.
public struct Upload: Sendable {
    /// The URL of the upload, if the server sends it.
    public let location: URL?
    /// The status of the last response.
    public let status: Int
    /// The fields of the last response.
    public let headers: Headers
    /// The content of the last response.
    public let body: Data
    /// How many bytes the server already had before this call.
    public let reused: Int
}

/// Why a resumable upload failed, if the connection is not the reason: the cause of the chain's error.
public struct UploadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of failure: an open set, new codes may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The server refused the upload; the error's response says why.
        public static let refused = Code("refused")
        /// The response is invalid: no location, or an offset beyond the end.
        public static let unusableResponse = Code("unusableResponse")
        /// Repeated attempts made no progress.
        public static let stuck = Code("stuck")
        /// The server lost the upload more than once.
        public static let lost = Code("lost")
        /// The file has changed since the upload began.
        public static let fileChanged = Code("fileChanged")
        /// The file or the journal cannot be read or written.
        public static let fileFailed = Code("fileFailed")
        /// The stream has another length than declared, or is needed again and can be read only once.
        public static let unusableContent = Code("unusableContent")

        /// The code's name.
        public var description: String { name }
    }

    /// The class of failure.
    public let code: Code
    /// One line: the problem and its reason.
    public let message: String

    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// One line.
    public var description: String { "\(code): \(message)" }
}
