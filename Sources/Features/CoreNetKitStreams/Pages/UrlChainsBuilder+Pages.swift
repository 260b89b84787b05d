public import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Reads a list page by page.
    ///
    /// - Parameters:
    ///   - strategy: How the list leads from page to page.
    ///   - options: Where to resume, and the limits.
    /// - Returns: The pages; no request is sent before the first one is read.
    public func pages<Page: DTODecodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init()
    ) -> Pages<Page> where Page.DTO.Raw: ResponsePayload {
        pages(strategy, options) { request, user in
            let chain: Chain<Void, Response<Page>> = with(request).build()
            return try await chain.process((), continuing: user)
        }
    }

    /// Reads a list page by page; the same model is sent for each page.
    ///
    /// - Parameters:
    ///   - strategy: How the list leads from page to page.
    ///   - input: The model to send for each page.
    ///   - options: Where to resume, and the limits.
    /// - Returns: The pages; no request is sent before the first one is read.
    public func pages<I: DTOEncodable & Sendable, Page: DTODecodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        sending input: I,
        _ options: PageOptions = .init()
    ) -> Pages<Page> where I.DTO.Raw: RequestPayload, Page.DTO.Raw: ResponsePayload {
        pages(strategy, options) { request, user in
            let chain: Chain<I, Response<Page>> = with(request).build()
            return try await chain.process(input, continuing: user)
        }
    }

    /// Reads a list of plain `Decodable` pages, page by page.
    ///
    /// - Parameters:
    ///   - strategy: How the list leads from page to page.
    ///   - options: Where to resume, and the limits.
    /// - Returns: The pages; no request is sent before the first one is read.
    @_disfavoredOverload
    public func pages<Page: Decodable & Sendable>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init()
    ) -> Pages<Page> {
        pages(strategy, options) { request, user in
            let chain: Chain<Void, Response<Page>> = with(request).build()
            return try await chain.process((), continuing: user)
        }
    }

    private func pages<Page: Sendable>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions,
        load: @escaping @Sendable (PageRequest, CallUser) async throws -> Response<Page>
    ) -> Pages<Page> {
        // A list belongs to one user: that of the first request.
        let callOptions = configuration.options
        let beginner = Locked<CallUser?>(nil)
        return Pages(
            feed: PageSource(strategy, options, delivered: { callOptions.delivered($0) }) { request in
                let user = beginner.withLock { beginner in
                    let user = beginner ?? callOptions.user
                    beginner = user
                    return user
                }
                return try await load(request, user)
            }
        )
    }
}
