package import CoreNetKitEssentials

/// How a list leads from page to page.
package enum PageRule: Sendable, Hashable {
    /// The `Link` field with `rel="next"`.
    case link
    /// A value of the page, sent as a query item with the next request.
    case cursor(name: String, isEmptyEnd: Bool)
    /// Numbered pages.
    case page(name: String, first: Int, size: PageSize)
    /// The number of items before a page.
    case offset(name: String, size: PageSize)
    /// A URL that the caller makes from each page.
    case next
}

/// The page size to request, and the name of its query item.
package struct PageSize: Sendable, Hashable {
    package let items: Int
    package let name: String
    package let isShortPageLast: Bool

    package init(items: Int, name: String, isShortPageLast: Bool) {
        (self.items, self.name, self.isShortPageLast) = (items, name, isShortPageLast)
    }
}

/// What a page says about the next one.
package struct PageFacts: Sendable {
    package var url: URL
    package var links: [String] = []
    package var cursor: String?
    package var items = 0
    package var total: Int?
    package var next: URL?

    package init(url: URL) { self.url = url }
}

/// The location of a page, relative to the first request of the list.
package enum PageTarget: Sendable, Hashable {
    /// The first request, with these items set in its query.
    case query([Item])
    /// Another URL; `isForeign` when its origin is not the first request's.
    case url(URL, isForeign: Bool)

    package struct Item: Sendable, Hashable {
        package let name: String
        package let value: String

        package init(name: String, value: String) { (self.name, self.value) = (name, value) }
    }
}
