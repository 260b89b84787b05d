public import CoreNetKitEssentials
public import CoreNetKitHTTP

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
