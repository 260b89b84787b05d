import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Leads from page to page: no tasks, no clock, no connection.
struct PageStepper: Sendable {
    private(set) var state: PageState
    private let rule: PageRule
    private let limit: Int
    private let allowsForeign: Bool
    /// The URL of the first request.
    private let base: URL

    init(
        _ rule: PageRule,
        base: URL,
        from state: PageState = .init(),
        limit: Int = 10_000,
        allowsForeign: Bool = false
    ) {
        (self.rule, self.base, self.state, self.limit, self.allowsForeign) = (rule, base, state, limit, allowsForeign)
        self.state.seen.insert(base.absoluteString)
    }

    /// The URL of the next page; `nil` at the end.
    func target() throws(StreamError) -> URL? {
        switch state.position {
        case .end: return nil
        case .first:
            switch rule {
            case .page(_, let first, _): return numbered(first)
            case .offset: return numbered(0)
            case .link, .cursor, .next: return base
            }
        case .number(let number): return numbered(number)
        case .cursor(let cursor):
            guard case .cursor(let name, _) = rule else { throw unfit }
            return first(with: [(name, cursor)])
        case .url(let text):
            guard let url = URL(string: text) else { throw unfit }
            guard allowsForeign || !isForeign(url) else {
                throw failure(.foreignOrigin, "the next page is on another origin; allow it, or ask for it yourself")
            }
            return url
        }
    }

    func isForeign(_ url: URL) -> Bool { Origin(url) != Origin(base) }

    /// Records what a page that was read says about the next one.
    mutating func accept(_ facts: PageFacts) throws(StreamError) {
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

    private var current: Int? { if case .number(let number) = state.position { number } else { nil } }

    private func numbered(_ number: Int) -> URL {
        switch rule {
        case .page(let name, _, let size), .offset(let name, let size):
            let place = (name, "\(number)")
            return first(with: size.name.isEmpty ? [place] : [place, (size.name, "\(size.items)")])
        case .link, .cursor, .next: return base
        }
    }

    /// The first request's URL with items in its query, in place of those with the same names.
    private func first(with items: [(name: String, value: String)]) -> URL {
        let text = base.absoluteString.prefix { $0 != "#" }
        let head = text.prefix { $0 != "?" }
        let encoded = items.map { PercentEncoding.encode($0.name, as: .component) }
        let names = Set(encoded + items.map(\.name))
        let kept = text.dropFirst(head.count + 1).split(separator: "&").filter { item in
            !names.contains(String(item.prefix { $0 != "=" }))
        }
        let added = zip(encoded, items).map { "\($0)=" + PercentEncoding.encode($1.value, as: .component) }
        return URL(string: head + "?" + (kept.map(String.init) + added).joined(separator: "&")) ?? base
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

enum PageRule: Sendable, Hashable {
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
struct PageSize: Sendable, Hashable {
    let items: Int
    let name: String
    let isShortPageLast: Bool
}

/// What a page says about the next one.
struct PageFacts: Sendable {
    var url: URL
    /// The base of the list's builder.
    var base: URL?
    var links: [String] = []
    var cursor: String?
    var items = 0
    var total: Int?
    var next: URL?
}
