/// How a list of pages is read.
public struct PageOptions: Sendable, Hashable {
    /// Where to resume; the first page by default.
    public var state = PageState()
    /// The maximum number of pages; a longer list ends with an error.
    public var limit = 10_000
    /// Whether a page may be on another origin: it is requested without credentials; refused by default.
    public var allowsForeignOrigins = false
    /// Whether the next page is requested as soon as the previous one is there, while its reader is busy.
    public var isPrefetching = false

    /// Creates the options: from the first page, each page requested on demand.
    public init() {}
}
