package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// Both nodes of the cache around a transport, without a chain between them.
package struct CachingTransport: Transport {
    private let engine: CacheEngine
    private let scope: CacheScope
    private let transport: any Transport
    private let refreshes: BackgroundRefreshes
    private let report: @Sendable (CacheOutcome) -> Void

    package init(
        _ transport: any Transport,
        _ engine: CacheEngine,
        scope: CacheScope = CacheScope(),
        refreshes: BackgroundRefreshes = BackgroundRefreshes(),
        report: @escaping @Sendable (CacheOutcome) -> Void = { _ in }
    ) {
        (self.engine, self.scope, self.transport) = (engine, scope, transport)
        (self.refreshes, self.report) = (refreshes, report)
    }

    package var capabilities: TransportCapabilities { transport.capabilities }

    package func clientIdentity(for url: URL) -> String? { transport.clientIdentity(for: url) }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let result = try await result(of: request)
        report(result.outcome)
        return result.response
    }

    private func result(of request: TransportRequest) async throws -> CachedResponse {
        let finding = await engine.find(request, scope, acceptsStale: true)
        if let stored = try await engine.respond(finding, to: request) {
            if stored.outcome.isRefreshing { refresh(request, finding.key) }
            return stored
        }
        guard finding.decision.fallback != nil else { return try await exchange(request) }
        do {
            let result = try await exchange(request)
            guard StatusCodes.isError(result.response.status) else { return result }
            return try await engine.fallback(finding, for: request) ?? result
        } catch let error as TransportError {
            guard let stored = try await engine.fallback(finding, for: request) else { throw error }
            return stored
        }
    }

    private func exchange(_ request: TransportRequest) async throws -> CachedResponse {
        let finding = await engine.find(request, scope, acceptsStale: false)
        return try await CacheExchange(engine, request, scope, after: finding) { try await transport.send($0) }.run()
    }

    private func refresh(_ request: TransportRequest, _ key: CacheKey) {
        var request = request
        request.delivery = .collect
        refreshes.start(key) { [request] in
            if let result = try? await exchange(request) { report(result.outcome) }
        }
    }
}
