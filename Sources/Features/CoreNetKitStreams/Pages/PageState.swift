/// How far a list was read: it can be stored, and reading can resume from it, even in another process.
///
/// It may contain parts of the URL of the next page; store it where such a URL may be stored.
public struct PageState: Sendable, Hashable, Codable {
    enum Position: Sendable, Hashable, Codable {
        case first
        case url(String)
        case cursor(String)
        /// The number of a page, or of the first item on it.
        case number(Int)
        case end
    }

    var position: Position
    /// The requested positions, unordered: a list that leads back to one of them would never end.
    var seen: Set<String>
    /// How many pages were read.
    public internal(set) var pages: Int
    /// How many items were read, if the strategy counts them.
    public internal(set) var items: Int

    /// Creates the state before the first page.
    public init() { (position, seen, pages, items) = (.first, [], 0, 0) }

    /// Whether the last page was read.
    public var isAtEnd: Bool { position == .end }
}

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
