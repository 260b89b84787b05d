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
