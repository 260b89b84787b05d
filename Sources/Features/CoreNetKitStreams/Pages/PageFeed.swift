import CoreNetKitChain

/// Waits for the next page.
typealias PageLoad<Page> = @Sendable () async throws -> Page

/// Loads a page and converts it for the reader.
typealias PageFinish<Page, Other> = @Sendable (@escaping PageLoad<Page>) async throws -> Other

/// The source of a reader's pages: the requests of a list, or another feed whose pages or errors are converted.
///
/// A conversion is part of the delivery: the position moves past a page only when its conversion has succeeded, so that no
/// page is lost to a failed one.
protocol PageFeed<Page>: Sendable {
    associatedtype Page: Sendable

    /// How far the list was read.
    var position: PageState { get }

    /// Delivers the next page.
    ///
    /// - Parameter finish: Loads the page and converts it; not called at the end.
    /// - Returns: The converted page; `nil` at the end.
    /// - Throws: The error of `finish`, unchanged if `mapError` chose it; `CancellationError`.
    func next<Other: Sendable>(_ finish: @escaping PageFinish<Page, Other>) async throws -> Other?

    /// Requests no more pages.
    func close()
}

/// Another feed, whose pages or errors are converted.
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
