/// The protocol by which an upload can be resumed.
public struct UploadMethod: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case tus(metadata: [String: String])
        case draft(isCareful: Bool)
    }

    let kind: Kind
    /// The maximum number of bytes of one request; `nil` for everything that is left.
    let chunk: Int?

    /// tus 1.0.
    ///
    /// - Parameters:
    ///   - metadata: Metadata of the file for the server, such as `filename`; names without spaces and commas.
    ///   - chunk: The maximum number of bytes of one request, for servers and proxies that limit it.
    /// - Returns: The method.
    public static func tus(metadata: [String: String] = [:], chunk: Int? = nil) -> UploadMethod {
        UploadMethod(kind: .tus(metadata: metadata), chunk: chunk.map { max(1, $0) })
    }

    /// Resumable uploads of the IETF's HTTP working group, interop version 8.
    ///
    /// - Parameters:
    ///   - isCareful: Whether the upload is created by a request of its own. Otherwise the first request has the whole
    ///     content, which costs nothing where a server knows nothing of resumption.
    ///   - chunk: The maximum number of bytes of one request.
    /// - Returns: The method.
    public static func draft(isCareful: Bool = false, chunk: Int? = nil) -> UploadMethod {
        UploadMethod(kind: .draft(isCareful: isCareful), chunk: chunk.map { max(1, $0) })
    }
}
