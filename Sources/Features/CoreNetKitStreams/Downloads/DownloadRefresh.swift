/// Whether an existing target is downloaded again.
public struct DownloadRefresh: Sendable, Hashable {
    let asksFirst: Bool

    /// Loads the content, whatever is there.
    public static let always = DownloadRefresh(asksFirst: false)
    /// Asks the server whether the target is what it has (`If-None-Match`, `If-Modified-Since`), and loads nothing then.
    ///
    /// What is known of the target is beside it, in `<name>.current.json`; it counts as long as nobody has written to the
    /// target, for the same origin and path, whatever the query.
    public static let ifChanged = DownloadRefresh(asksFirst: true)
}
