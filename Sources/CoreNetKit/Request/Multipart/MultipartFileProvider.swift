public import CoreNetKitEssentials

/// Where a file of a ``MultipartModel`` comes from.
public enum MultipartFileProvider: Sendable, Hashable {
    /// Bytes in memory.
    case data(data: Data, filename: String, mimetype: String)
    /// A file on disk, under its own name, its type told by its extension.
    case url(url: URL)
    /// A file on disk, under another name and type.
    case customWithUrl(url: URL, filename: String, mimetype: String)
}
