public import CoreNetKitEssentials
public import CoreNetKitHTTP

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
