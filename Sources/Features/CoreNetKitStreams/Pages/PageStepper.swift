package import CoreNetKitEssentials
import CoreNetKitHTTP

/// Leads from page to page: no tasks, no clock, no connection.
package struct PageStepper: Sendable {
    package private(set) var state: PageState
    private let rule: PageRule
    private let limit: Int
    private let allowsForeign: Bool
    /// The origin of the first page's request.
    private let origin: Origin

    /// `base` is the URL of the first request.
    package init(
        _ rule: PageRule,
        base: URL,
        from state: PageState = .init(),
        limit: Int = 10_000,
        allowsForeign: Bool = false
    ) {
        (self.rule, self.state, self.limit, self.allowsForeign) = (rule, state, limit, allowsForeign)
        origin = Origin(base)
        self.state.seen.insert(base.absoluteString)
    }

    /// The location of the next page; `nil` at the end.
    ///
    /// Throws `foreignOrigin`, or `malformed` when a restored state gives no valid URL.
    package func target() throws(StreamError) -> PageTarget? {
        switch state.position {
        case .end: return nil
        case .first:
            switch rule {
            case .page(_, let first, _): return .query(numbered(first))
            case .offset: return .query(numbered(0))
            case .link, .cursor, .next: return .query([])
            }
        case .number(let number): return .query(numbered(number))
        case .cursor(let cursor):
            guard case .cursor(let name, _) = rule else { throw unfit }
            return .query([.init(name: name, value: cursor)])
        case .url(let text):
            guard let url = URL(string: text) else { throw unfit }
            guard allowsForeign || !isForeign(url) else {
                throw failure(.foreignOrigin, "the next page is on another origin; allow it, or ask for it yourself")
            }
            return .url(url)
        }
    }

    package func isForeign(_ url: URL) -> Bool { Origin(url) != origin }

    /// Records what a page that was read says about the next one.
    ///
    /// Throws `repeatedPage`, `tooManyPages`, `malformed` or `foreignOrigin`.
    package mutating func accept(_ facts: PageFacts) throws(StreamError) {
        let next = try position(after: facts)
        state.pages += 1
        state.items += facts.items
        guard next != .end else { return state.position = .end }
        if let key = Self.key(of: next), !state.seen.insert(key).inserted {
            throw failure(.repeatedPage, "the page leads back to an earlier one")
        }
        guard state.pages < limit else { throw failure(.tooManyPages, "there are more than \(limit) pages") }
        state.position = next
        _ = try target()
    }

    private func position(after facts: PageFacts) throws(StreamError) -> PageState.Position {
        switch rule {
        case .link:
            do throws(StreamError) {
                return try Self.position(WebLink.url("next", in: facts.links, base: facts.url))
            } catch {
                throw failure(error.code, error.message)
            }
        case .next: return Self.position(facts.next)
        case .cursor(_, let isEmptyEnd):
            guard let cursor = facts.cursor, !(cursor.isEmpty && isEmptyEnd) else { return .end }
            return .cursor(cursor)
        case .page(_, let first, let size):
            return isLast(facts, size) ? .end : .number((current ?? first).saturatingAdd(1))
        case .offset(_, let size):
            return isLast(facts, size) ? .end : .number((current ?? 0).saturatingAdd(facts.items))
        }
    }

    private func isLast(_ facts: PageFacts, _ size: PageSize) -> Bool {
        if facts.items <= 0 { return true }
        if let total = facts.total { return state.items.saturatingAdd(facts.items) >= total }
        return size.isShortPageLast && facts.items < size.items
    }

    private var current: Int? {
        if case .number(let number) = state.position { number } else { nil }
    }

    private func numbered(_ number: Int) -> [URLQueryItem] {
        switch rule {
        case .page(let name, _, let size), .offset(let name, let size):
            let place = URLQueryItem(name: name, value: "\(number)")
            return size.name.isEmpty ? [place] : [place, .init(name: size.name, value: "\(size.items)")]
        case .link, .cursor, .next: return []
        }
    }

    private var unfit: StreamError { failure(.malformed, "the state belongs to another paging strategy") }

    private func failure(_ code: StreamError.Code, _ message: String) -> StreamError {
        StreamError(code, message, index: state.pages)
    }

    private static func position(_ url: URL?) -> PageState.Position { url.map { .url($0.absoluteString) } ?? .end }

    private static func key(of position: PageState.Position) -> String? {
        switch position {
        case .url(let text): text
        case .cursor(let cursor): cursor
        case .first, .number, .end: nil
        }
    }
}

package enum PageRule: Sendable, Hashable {
    /// The `Link` field with `rel="next"`.
    case link
    /// A value of the page, sent as a query item with the next request.
    case cursor(name: String, isEmptyEnd: Bool)
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
    /// The base of the list's builder.
    package var base: URL?
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
    case query([URLQueryItem])
    case url(URL)
}
