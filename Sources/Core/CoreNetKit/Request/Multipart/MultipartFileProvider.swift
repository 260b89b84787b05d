public import CoreNetKitEssentials

/// The source of a file in a ``MultipartModel``.
public enum MultipartFileProvider: Sendable, Hashable {
    /// Bytes in memory.
    case data(data: Data, filename: String, mimetype: String)
    /// A file on disk, under its own name, with a type derived from its extension.
    case url(url: URL)
    /// A file on disk, under another name and type.
    case customWithUrl(url: URL, filename: String, mimetype: String)
}
