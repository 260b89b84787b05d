/// How a list of pages is read.
public struct PageOptions: Sendable, Hashable {
    /// Where to go on; the first page by default.
    public var state = PageState()
    /// The most pages; a list that has more ends with an error.
    public var limit = 10_000
    /// Whether a page may be on another origin: it is asked for without credentials, and refused by default.
    public var allowsForeignOrigins = false
    /// Whether the next page is asked for as soon as the one before it is there, while its reader is busy.
    public var isPrefetching = false

    /// Creates the options: from the first page, each page when it is asked for.
    public init() {}
}
