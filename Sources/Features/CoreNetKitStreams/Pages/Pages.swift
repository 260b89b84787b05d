import CoreNetKit
public import CoreNetKitChain
public import CoreNetKitJson

/// The pages of a list, one after another, each requested when its reader needs it.
///
/// Each page is a call: retry, tokens and deadline apply to each. There is one reader at a time; a second iterator continues
/// where the first one stopped. When the reader stops or is cancelled, the requests stop, as with ``close()``.
public struct Pages<Page: Sendable>: AsyncSequence, Sendable {
    /// Reads the pages in order.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: any PageFeed<Page>

        /// Waits for the next page.
        ///
        /// - Returns: The page, `nil` after the last one and after an error.
        /// - Throws: ``/CoreNetKit/NetworkError`` with the page's number in its message, from 1, or the error that
        ///   ``Pages/mapError(_:)`` or ``Pages/mapFailure(as:coding:)`` made from it; `CancellationError`.
        public mutating func next() async throws -> Page? { try await feed.next { try await $0() } }
    }

    let feed: any PageFeed<Page>

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed) }

    /// Requests no more pages, and cancels a running request; a waiting reader gets the end.
    public func close() { feed.close() }

    /// How far the list was read: after the last delivered page, also when the next one failed.
    public var state: PageState { feed.position }

    /// The items of all pages, in their order.
    public func elements<Items: Sequence & Sendable>(
        _ items: @escaping @Sendable (Page) -> Items
    ) -> PageElements<Page, Items> where Items.Element: Sendable {
        PageElements(pages: self, items: items, isNew: nil)
    }

    /// The items of all pages, each once, for lists whose rows move while they are read; the ids of all items are kept.
    public func elements<Items: Sequence & Sendable, ID: Hashable & Sendable>(
        _ items: @escaping @Sendable (Page) -> Items,
        uniqueBy id: @escaping @Sendable (Items.Element) -> ID
    ) -> PageElements<Page, Items> where Items.Element: Sendable {
        PageElements(pages: self, items: items) {
            var seen: Set<ID> = []
            return { seen.insert(id($0)).inserted }
        }
    }

    /// The same list with another model for its pages.
    ///
    /// It continues where these pages are, prefetched ones included, and both share their state: read only one of them. The
    /// state moves past a page when its conversion has succeeded; an error that `transform` throws ends the list.
    public func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Page) async throws -> Other
    ) -> Pages<Other> {
        let mapped = MappedPages<Page, Other>(base: feed) { [feed] load in
            let page = try await load()
            do { return try await transform(page) } catch {
                throw NetworkError.page(error, number: feed.position.pages + 1)
            }
        }
        return Pages<Other>(feed: mapped)
    }

    /// The same list, whose pages fail with your own errors.
    ///
    /// Cancellation stays cancellation, and an error that was chosen before is unchanged.
    public func mapError(
        _ transform: @escaping @Sendable (NetworkError) async throws -> any Error
    ) -> Pages<Page> {
        let mapped = MappedPages<Page, Page>(base: feed) { load in
            do { return try await load() } catch {
                throw await MappedError.replacing(error, of: "PagesNode", by: transform)
            }
        }
        return Pages(feed: mapped)
    }

    /// The same list, whose pages fail with the server's own error model if a rejected response has one.
    ///
    /// Errors without such a body are unchanged, and cancellation stays cancellation. `coding` is that of the chain if it is
    /// `nil`. The status does not matter; if it should, decide in the transform of the other overload.
    public func mapFailure<Problem: Error & Decodable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil
    ) -> Pages<Page> {
        mapFailure(as: type, coding: coding) { problem, _ in problem }
    }

    /// The same list, whose pages fail with an error made from the server's own error model and the original error.
    public func mapFailure<Problem: Decodable & Sendable>(
        as type: Problem.Type,
        coding: JsonCoding? = nil,
        _ transform: @escaping @Sendable (Problem, NetworkError) async throws -> any Error
    ) -> Pages<Page> {
        mapError { error in
            guard let problem = error.model(as: Problem.self, coding: coding) else { return error }
            return try await transform(problem, error)
        }
    }
}

extension Pages where Page: Sequence, Page.Element: Sendable {
    /// The items of all pages, in their order.
    public var elements: PageElements<Page, Page> { elements { $0 } }
}

/// The items of a list of pages, one by one.
public struct PageElements<Page: Sendable, Items: Sequence & Sendable>: AsyncSequence, Sendable
where Items.Element: Sendable {
    /// Reads the items in order.
    public struct Iterator: AsyncIteratorProtocol {
        var pages: Pages<Page>.Iterator
        let items: @Sendable (Page) -> Items
        let isNew: ((Items.Element) -> Bool)?
        var rest: Items.Iterator?

        /// Waits for the next item; throws as ``Pages/Iterator/next()``.
        public mutating func next() async throws -> Items.Element? {
            while true {
                while let item = rest?.next() {
                    if isNew?(item) ?? true { return item }
                }
                guard let page = try await pages.next() else { return nil }
                rest = items(page).makeIterator()
            }
        }
    }

    let pages: Pages<Page>
    let items: @Sendable (Page) -> Items
    let isNew: (@Sendable () -> (Items.Element) -> Bool)?

    /// Requests no more pages, see ``Pages/close()``.
    public func close() { pages.close() }

    /// Starts reading, or continues with the next page.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator(), items: items, isNew: isNew?())
    }
}
