package import CoreNetKitHTTP

extension CacheEngine {
    /// Sends a request as both nodes of the cache do, without a chain between them.
    package func send(
        _ request: TransportRequest,
        over transport: any Transport,
        scope: CacheScope = CacheScope(),
        refreshes: BackgroundRefreshes = BackgroundRefreshes(),
        report: @escaping @Sendable (CacheOutcome) -> Void = { _ in }
    ) async throws -> TransportResponse {
        let exchange = { @Sendable (request: TransportRequest) async throws -> CachedResponse in
            let finding = await self.find(request, scope, acceptsStale: false)
            return try await CacheExchange(engine: self, request: request, scope: scope, finding: finding) {
                try await transport.send($0)
            }.run()
        }
        let finding = await find(request, scope, acceptsStale: true)
        var result: CachedResponse
        if let stored = try await respond(finding, to: request) {
            result = stored
            if stored.outcome.isRefreshing {
                var request = request
                request.delivery = .collect
                refreshes.start(finding.key) { [request] in
                    if let result = try? await exchange(request) { report(result.outcome) }
                }
            }
        } else {
            do {
                result = try await exchange(request)
                if StatusCodes.isError(result.response.status) {
                    result = try await respond(finding, to: request, isFallback: true) ?? result
                }
            } catch let error as TransportError {
                guard let stored = try await respond(finding, to: request, isFallback: true) else { throw error }
                result = stored
            }
        }
        report(result.outcome)
        return result.response
    }
}
