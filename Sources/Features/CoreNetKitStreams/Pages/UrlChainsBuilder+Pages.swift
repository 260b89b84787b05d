public import CoreNetKit
import CoreNetKitChain
import CoreNetKitSystem

extension UrlChainsBuilder {
    /// Reads a list page by page.
    ///
    /// ```swift
    /// let users = UrlChainsBuilder<String>().route(.get, "https://example.com/users")
    ///     .pages(.page(size: 100), reading: .json([String].self))
    /// ```
    /// - Returns: The pages; no request is sent before the first one is read.
    public func pages<Page>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init(),
        reading: Reading<Page>
    ) -> Pages<Page> { pages(strategy, options, of: (), sending: .nothing, reading: reading) }

    /// Reads a list page by page; the same input is sent for each page.
    public func pages<Input, Page>(
        _ strategy: PageStrategy<Page>,
        _ options: PageOptions = .init(),
        of input: Input,
        sending: Sending<Input>,
        reading: Reading<Page>
    ) -> Pages<Page> {
        // A list belongs to one user: that of the first request.
        let callOptions = configuration.options
        let beginner = Locked<CallUser?>(nil)
        // An invalid base fails the first request.
        let base = try? requestSettings.base?.get()
        let errorForCaller = callOptions.errorForCaller
        let feed = PageSource(strategy, options, base: base, errorForCaller: errorForCaller) { request in
            let user = beginner.withLock { beginner in
                let user = beginner ?? callOptions.user
                beginner = user
                return user
            }
            let chain = with(request).build(sending: sending, reading: .response(reading))
            return try await chain.process(input, continuing: user)
        }
        return Pages(feed: feed)
    }
}
