public import CoreNetKit
import CoreNetKitEssentials

/// How a list leads from page to page.
public struct PageStrategy<Page: Sendable>: Sendable {
    let rule: PageRule
    /// Reads the link to the next page from a page.
    let read: @Sendable (Response<Page>, inout PageFacts) throws -> Void

    /// The `Link` field with `rel="next"` (RFC 8288).
    public static var link: PageStrategy {
        PageStrategy(rule: .link) { page, facts in facts.links = page.headers[values: "Link"] }
    }

    /// A cursor in the page, sent as a query item for the next one; a page without one is the last, and one with an empty
    /// cursor if `isEmptyEnd` says so.
    public static func cursor(
        _ cursor: @escaping @Sendable (Page) -> String?,
        as name: String,
        isEmptyEnd: Bool = false
    ) -> PageStrategy {
        PageStrategy(rule: .cursor(name: name, isEmptyEnd: isEmptyEnd)) { page, facts in
            facts.cursor = cursor(page.model)
        }
    }

    /// A URL that is made from each page; `nil` ends the list, and a path is joined with the base of the builder.
    public static func next(
        _ next: @escaping @Sendable (Response<Page>) throws -> (any UrlRouteProvider)?
    ) -> PageStrategy {
        PageStrategy(rule: .next) { page, facts in facts.next = try next(page)?.url(relativeTo: facts.base) }
    }

    /// Numbered pages; the list ends with an empty one, or at the total if the server sends it.
    ///
    /// If `isShortPageLast`, also with a page of fewer items than requested: that saves a request, and is wrong with servers
    /// that cap the size.
    public static func page(
        size: Int,
        names: (page: String, size: String) = ("page", "per_page"),
        first: Int = 1,
        items: @escaping @Sendable (Page) -> Int,
        total: @escaping @Sendable (Page) -> Int? = { _ in nil },
        isShortPageLast: Bool = false
    ) -> PageStrategy {
        let size = PageSize(items: size, name: names.size, isShortPageLast: isShortPageLast)
        return PageStrategy(rule: .page(name: names.page, first: first, size: size)) { page, facts in
            (facts.items, facts.total) = (items(page.model), total(page.model))
        }
    }

    /// As ``page(size:names:first:items:total:isShortPageLast:)`` by the number of items before a page, as they were received.
    public static func offset(
        size: Int,
        names: (offset: String, size: String) = ("offset", "limit"),
        items: @escaping @Sendable (Page) -> Int,
        total: @escaping @Sendable (Page) -> Int? = { _ in nil },
        isShortPageLast: Bool = false
    ) -> PageStrategy {
        let size = PageSize(items: size, name: names.size, isShortPageLast: isShortPageLast)
        return PageStrategy(rule: .offset(name: names.offset, size: size)) { page, facts in
            (facts.items, facts.total) = (items(page.model), total(page.model))
        }
    }
}

extension PageStrategy where Page: Collection {
    /// Numbered pages that are arrays; the list ends with an empty one.
    public static func page(
        size: Int,
        names: (page: String, size: String) = ("page", "per_page"),
        first: Int = 1
    ) -> PageStrategy { page(size: size, names: names, first: first, items: { $0.count }) }

    /// Arrays by the number of items before them; the list ends with an empty one.
    public static func offset(
        size: Int,
        names: (offset: String, size: String) = ("offset", "limit")
    ) -> PageStrategy { offset(size: size, names: names, items: { $0.count }) }
}
