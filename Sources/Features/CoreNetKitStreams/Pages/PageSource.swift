import CoreNetKit
import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

final class PageSource<Page: Sendable>: PageFeed {
    private typealias LoadedPage = (page: Page, state: PageState)

    private struct State: Sendable {
        var position: PageState
        var isFailed = false
        var isClosed = false
        /// The request of the page that a reader waits for, or of a prefetched one.
        var ahead: Task<LoadedPage, any Error>?
        var current: Task<LoadedPage, any Error>?
    }

    private let options: PageOptions
    /// Loads the page after a position.
    private let load: @Sendable (PageState) async throws -> LoadedPage
    private let errorForCaller: @Sendable (any Error) -> any Error
    private let state: Locked<State>

    init(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions,
        base: URL?,
        errorForCaller: @escaping @Sendable (any Error) -> any Error,
        load: @escaping @Sendable (PageRequest) async throws -> Response<Page>
    ) {
        (self.options, self.errorForCaller) = (options, errorForCaller)
        state = Locked(State(position: options.state))
        self.load = { position in
            do {
                let request = PageRequest(rule: strategy.rule, options: options, state: position)
                let response = try await load(request)
                var facts = PageFacts(url: response.url, base: base)
                try strategy.read(response, &facts)
                guard var stepper = request.stepper.withLock({ $0 }) else {
                    throw NetworkError(.invalidChain, "a node in front of the pages responded", node: "PagesNode")
                }
                do throws(StreamError) { try stepper.accept(facts) } catch {
                    throw NetworkError.stream(error, node: "PagesNode", response: nil)
                }
                return (response.model, stepper.state)
            } catch {
                throw NetworkError.page(error, number: position.pages + 1)
            }
        }
    }

    deinit { state.withLock { $0.ahead.take() }?.cancel() }

    func close() {
        let (ahead, current) = state.withLock { state in
            state.isClosed = true
            return (state.ahead.take(), state.current)
        }
        ahead?.cancel()
        current?.cancel()
    }

    var position: PageState { state.withLock(\.position) }

    func next<Other: Sendable>(_ finish: @escaping PageFinish<Page, Other>) async throws -> Other? {
        guard let task = begin() else { return nil }
        let reached = Locked<PageState?>(nil)
        do {
            let page = try await finish {
                let loaded = try await withTaskCancellationHandler {
                    try await task.value
                } onCancel: {
                    task.cancel()
                }
                reached.withLock { $0 = loaded.state }
                self.prefetch(after: loaded)
                return loaded.page
            }
            return deliver(at: reached.withLock { $0 }) ? page : nil
        } catch {
            // A cancelled reader ends with cancellation, whatever the error of the request was.
            let isCancelled = Task.isCancelled
            if fail(with: isCancelled ? CancellationError() : error), !isCancelled { return nil }
            throw isCancelled ? CancellationError() : errorForCaller((error as? MappedError)?.error ?? error)
        }
    }

    /// The request of the next page, which may be prefetched; `nil` at the end.
    private func begin() -> Task<LoadedPage, any Error>? {
        state.withLock { state in
            let ahead = state.ahead.take()
            guard !state.position.isAtEnd, !state.isFailed, !state.isClosed else {
                ahead?.cancel()
                return nil
            }
            state.current = ahead ?? requestPage(after: state.position)
            return state.current
        }
    }

    private func prefetch(after loaded: LoadedPage) {
        guard options.isPrefetching, !loaded.state.isAtEnd else { return }
        state.withLock { state in
            if !state.isClosed { state.ahead = requestPage(after: loaded.state) }
        }
    }

    /// Moves past a page, unless the reader has closed the list meanwhile.
    private func deliver(at position: PageState?) -> Bool {
        state.withLock { state in
            state.current = nil
            guard !state.isClosed, let position else { return false }
            state.position = position
            return true
        }
    }

    /// Stays before a page that was not delivered; returns whether the reader has closed the list meanwhile.
    private func fail(with error: any Error) -> Bool {
        let (ahead, isClosed) = state.withLock { state in
            state.current = nil
            if !(error is CancellationError) { state.isFailed = true }
            return (state.ahead.take(), state.isClosed)
        }
        // This request is for the page after the one that was not delivered.
        ahead?.cancel()
        return isClosed
    }

    /// Requests a page in a task of its own, which `close()` can cancel.
    private func requestPage(after position: PageState) -> Task<LoadedPage, any Error> {
        Task { [load] in try await load(position) }
    }
}

typealias PageLoad<Page> = @Sendable () async throws -> Page

/// Loads a page and converts it for the reader.
typealias PageFinish<Page, Other> = @Sendable (@escaping PageLoad<Page>) async throws -> Other

/// The source of a reader's pages: the requests of a list, or another feed whose pages or errors are converted; the position
/// moves past a page only when its conversion has succeeded, so that no page is lost.
protocol PageFeed<Page>: Sendable {
    associatedtype Page: Sendable

    var position: PageState { get }

    /// Delivers the next page, which `finish` loads and converts; `nil` at the end.
    func next<Other: Sendable>(_ finish: @escaping PageFinish<Page, Other>) async throws -> Other?

    func close()
}

struct MappedPages<From: Sendable, Page: Sendable>: PageFeed {
    let base: any PageFeed<From>
    let convert: PageFinish<From, Page>

    var position: PageState { base.position }

    func close() { base.close() }

    func next<Other: Sendable>(_ finish: @escaping PageFinish<Page, Other>) async throws -> Other? {
        try await base.next { load in try await finish { try await convert(load) } }
    }
}

extension NetworkError {
    /// An error of a page, with the page's number in its message; cancellation unchanged.
    static func page(_ error: any Error, number: Int) -> any Error {
        guard var failure = NetworkError.wrapping(error, node: "PagesNode") else { return error }
        failure.message = "page \(number): \(failure.message)"
        return failure
    }
}
