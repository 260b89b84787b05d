/// How far a list was read: can be stored, and the reading goes on from it, also in another process.
///
/// It may hold what the server wrote into the URL of the next page; keep it where such a URL may be kept.
public struct PageState: Sendable, Hashable, Codable {
    /// Where the next page is.
    package enum Position: Sendable, Hashable, Codable {
        case first
        case url(String)
        case cursor(String)
        /// The number of a page, or of the first item on it.
        case number(Int)
        case end
    }

    package var position: Position
    /// The places that were asked for, in no order: a list that leads back to one of them has no end.
    package var seen: Set<String>
    /// How many pages were read.
    public package(set) var pages: Int
    /// How many items were read, where the way of paging counts them.
    public package(set) var items: Int

    /// Creates the state in front of the first page.
    public init() {
        (position, seen, pages, items) = (.first, [], 0, 0)
    }

    /// Whether the last page was read.
    public var isAtEnd: Bool { position == .end }
}
