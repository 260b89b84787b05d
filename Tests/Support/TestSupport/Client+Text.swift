extension Client {
    /// Calls a URL, and gives the content of its response as text.
    @discardableResult
    package func text(_ address: String, by method: HTTPMethod = .get) async throws -> String {
        try await UrlChainsBuilder(client: self).route(method, address).build().call()
    }
}
