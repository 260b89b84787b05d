public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// An upload that is complete.
public struct Upload: Sendable {
    /// Where the server keeps it, where it says so.
    public let location: URL?
    /// The status of the last response.
    public let status: Int
    /// The fields of the last response.
    public let headers: Headers
    /// The content of the last response.
    public let body: Data
    /// How many bytes were there before this call.
    public let reused: Int
}
