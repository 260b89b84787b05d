import CoreNetKitEssentials
import CoreNetKitSystem

/// The protocol by which an upload can be resumed.
public struct UploadMethod: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case tus(metadata: [String: String])
        case draft(isCareful: Bool)
    }

    /// By what a server of tus finds out that the bytes of a request are not those that were sent.
    public struct Checksum: Sendable, Hashable {
        /// As the field names it.
        let name: String

        /// SHA-1, which each server with this extension knows.
        public static let sha1 = Checksum(name: "sha1")
        /// SHA-256, where the server knows it.
        public static let sha256 = Checksum(name: "sha256")

        /// The value of the field.
        func field(_ bytes: Data) -> String {
            let digest = self == .sha1 ? SHA1.digest(bytes) : SHA256.digest(bytes)
            return "\(name) \(Data(digest).base64EncodedString())"
        }
    }

    let kind: Kind
    /// The most bytes of one request; `nil` is all that is left.
    private(set) var chunk: Int?
    private(set) var checksum: Checksum?

    /// tus 1.0.
    ///
    /// - Parameters:
    ///   - metadata: What the server is told of the file, such as `filename`; names of visible ASCII characters without commas.
    ///   - chunk: The most bytes of one request, for servers and proxies that limit it.
    ///   - checksum: What is sent with the bytes of each request, so that the server refuses those that were damaged on the
    ///     way, for servers with the extension `checksum`. They are in memory then: `chunk`, or 4 MiB.
    /// - Returns: The method.
    public static func tus(
        metadata: [String: String] = [:],
        chunk: Int? = nil,
        checksum: Checksum? = nil
    ) -> UploadMethod {
        UploadMethod(kind: .tus(metadata: metadata), chunk: chunk.map { max(1, $0) }, checksum: checksum)
    }

    /// Resumable uploads of the IETF's HTTP working group, interop version 8.
    ///
    /// - Parameters:
    ///   - isCareful: Whether the upload is created by a request of its own. Otherwise the first request has the whole
    ///     content, which costs nothing where a server knows nothing of resumption.
    ///   - chunk: The most bytes of one request.
    /// - Returns: The method.
    public static func draft(isCareful: Bool = false, chunk: Int? = nil) -> UploadMethod {
        UploadMethod(kind: .draft(isCareful: isCareful), chunk: chunk.map { max(1, $0) })
    }

    /// A name of the metadata that cannot be one: pairs stand in one field, name and value with a space between them.
    var malformedName: String? {
        guard case .tus(let metadata) = kind else { return nil }
        return metadata.keys.sorted().first { name in
            name.isEmpty || !name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") }
        }
    }

    /// The same with no more bytes in one request.
    func limited(to chunk: Int) -> UploadMethod {
        var method = self
        method.chunk = chunk
        return method
    }
}
