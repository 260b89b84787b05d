public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A file that was loaded completely.
public struct Download: Sendable {
    /// Where it is.
    public let file: URL
    /// Its size.
    public let size: Int
    /// How many of its bytes were there before this call.
    public let reused: Int
    /// Whether the file was there already, and is what the server has: nothing was loaded (``DownloadRefresh/ifChanged``).
    public let isUnchanged: Bool
    /// The fields of the last response.
    public let headers: Headers
    /// The URL of the last response.
    public let url: URL
}
