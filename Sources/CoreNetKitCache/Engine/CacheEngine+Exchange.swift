package import CoreNetKitHTTP

extension CacheEngine {
    /// One exchange at the wire: validates what is stored, stores what comes, and marks what has changed.
    ///
    /// - Parameters:
    ///   - request: The request as it would be sent.
    ///   - scope: Under what to look and store.
    ///   - epoch: When it began, as ``epoch(of:)`` said; `nil` is now.
    ///   - send: Sends a request.
    /// - Returns: The response; never a 304 to a condition of the cache's own.
    /// - Throws: What `send` throws.
    package func exchange(
        _ request: TransportRequest,
        _ scope: CacheScope,
        since epoch: UInt64? = nil,
        send: @Sendable (TransportRequest) async throws -> TransportResponse
    ) async throws -> CachedResponse {
        let epoch = epoch ?? self.epoch(of: scope.partition)
        let finding = await find(request, scope, acceptsStale: false)
        var reason = finding.decision.reason
        switch finding.decision.action {
        case .use, .useStale:
            if let stored = try await respond(finding, to: request) { return stored }
            reason = .vanished
        case .refuse:
            return CachedResponse(refusal(of: request), CacheOutcome(.refused, reason))
        case .validate(let candidates, let conditions):
            // Opened before it is asked about: what is removed meanwhile can still be given.
            let opened = await open(candidates, finding)
            if !opened.isEmpty {
                return try await validate(request, scope, finding, opened, conditions, epoch, send)
            }
            reason = .vanished
        case .forward(let fields):
            var sent = request
            sent.headers.merge(fields)
            return try await fetch(request, sent: sent, scope, finding, reason, epoch, send)
        }
        return try await fetch(request, sent: request, scope, finding, reason, epoch, send)
    }

    private func open(_ candidates: [Int], _ finding: CacheFinding) async -> [Int: any CacheContent] {
        var opened: [Int: any CacheContent] = [:]
        for index in candidates {
            guard let variant = finding.variant(index) else { continue }
            opened[index] = await storage.content(of: variant, for: finding.key)
        }
        return opened
    }

    /// RFC 9111, 4.3.3: what the server's response to a condition means.
    private func validate(
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ finding: CacheFinding,
        _ opened: [Int: any CacheContent],
        _ conditions: Headers,
        _ epoch: UInt64,
        _ send: @Sendable (TransportRequest) async throws -> TransportResponse
    ) async throws -> CachedResponse {
        var conditional = request
        conditional.headers.merge(conditions)
        let requested = now()
        let response = try await send(conditional)
        guard response.status == 304 else {
            return try await received(
                response,
                requested: requested,
                request,
                scope,
                finding,
                finding.decision.reason,
                epoch,
                wasValidation: true
            )
        }
        let variants = finding.record?.variants ?? []
        let confirmed = Updating.confirmed(by: response.headers, asked: opened.keys.sorted(), in: variants)
        guard let index = confirmed.last, let content = opened[index] else {
            // It confirms something that is not here: asked again without a condition.
            return try await fetch(request, sent: request, scope, finding, finding.decision.reason, epoch, send)
        }
        let update = Refreshment(
            request: request.headers,
            response: response.headers,
            requested: requested,
            received: now()
        )
        let renewed = update.applied(to: variants[index])
        await refresh(confirmed.map { variants[$0] }, finding.key, update)
        let age = Freshness.age(of: renewed, at: update.received) ?? 0
        guard let result = try await self.response(renewed, content, to: request, age: age) else {
            return try await fetch(request, sent: request, scope, finding, .vanished, epoch, send)
        }
        var outcome = CacheOutcome(
            .validated,
            finding.decision.reason,
            age: age,
            lifetime: Freshness.lifetime(of: renewed, scope.mode)
        )
        outcome.forwardStatus = 304
        outcome.isStored = true
        return CachedResponse(result, outcome)
    }

    private func refresh(_ confirmed: [CacheVariant], _ key: CacheKey, _ update: Refreshment) async {
        await storage.change(key) { record in
            for index in record.variants.indices {
                // Only what was asked about; a response that came meanwhile is newer than this.
                guard confirmed.contains(where: { $0.isSameResponse(as: record.variants[index]) }) else { continue }
                let isOutdated = record.invalidated.map { !$0.precedes(present: update.requested) } ?? false
                record.variants[index] = update.applied(to: record.variants[index])
                record.variants[index].isInvalid = isOutdated
            }
        }
    }

    private func fetch(
        _ request: TransportRequest,
        sent: TransportRequest,
        _ scope: CacheScope,
        _ finding: CacheFinding,
        _ reason: CacheReason,
        _ epoch: UInt64,
        _ send: @Sendable (TransportRequest) async throws -> TransportResponse
    ) async throws -> CachedResponse {
        let requested = now()
        let response = try await send(sent)
        return try await received(
            response,
            requested: requested,
            request,
            scope,
            finding,
            reason,
            epoch,
            wasValidation: false
        )
    }
}

/// What a confirmation does to a stored response.
package struct Refreshment: Sendable {
    package let request: Headers
    package let response: Headers
    package let requested: CacheTime
    package let received: CacheTime

    package func applied(to variant: CacheVariant) -> CacheVariant {
        var headers = StoredFields.merged(variant.headers, with: response, isDecoded: variant.isDecoded)
        if !headers.contains("Date") { headers.append("Date", FieldDate.format(received.wall)) }
        // A confirmation may also say that other fields select from now on.
        let names = Vary.names(headers)
        let isSame = names == variant.selecting.map(\.name)
        return variant.renewed(
            headers: headers,
            selecting: isSame ? nil : names.map { Vary.selecting($0, in: request) },
            requested: requested,
            received: received
        )
    }
}

extension CacheVariant {
    /// Whether both are one response, whatever was updated in its head meanwhile.
    package func isSameResponse(as other: CacheVariant) -> Bool {
        selecting == other.selecting && requested == other.requested && received == other.received
            && content.length == other.content.length
    }
}
