import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension CacheExchange {
    func received(
        _ response: TransportResponse,
        requestTime: CacheTime,
        _ reason: CacheReason.Code,
        wasValidation: Bool
    ) async -> CachedResponse {
        var outcome = CacheOutcome(.network, reason)
        outcome.forwardStatus = response.status
        await invalidate(by: response)
        // Without generations it would be unknown later whether it was invalidated meanwhile.
        guard scope.mode.kind != .off, let record = finding.record else { return (response, outcome) }
        if request.method == .head {
            await update(by: response, record, requestTime: requestTime)
            return (response, outcome)
        }
        // RFC 9111, 4.3.3: a failed validation replaces nothing.
        guard !(wasValidation && response.status >= 500) else { return (response, outcome) }
        if let refusal = refusal(of: response, to: request) {
            if refusal.replaces, response.status < 500 { await removeSelected(record) }
            return (response, outcome)
        }
        var result = response
        (result.body, outcome.isStored) =
            response.status == 206
            ? await receivedPart(response, record, requestTime: requestTime)
            : await store(response, record, requestTime: requestTime)
        return (result, outcome)
    }

    func invalidate(by response: TransportResponse) async {
        guard Invalidation.applies(method: request.method, status: response.status) else { return }
        await engine.invalidate(
            Invalidation.urls(of: request.url, headers: response.headers),
            groups: Invalidation.groups(invalidatedBy: response.headers),
            in: scope
        )
    }

    /// Stores a complete response; returns its content for the caller, and whether it is stored.
    private func store(
        _ response: TransportResponse,
        _ record: CacheRecord,
        requestTime: CacheTime
    ) async -> (ResponseBody, Bool) {
        let variant = await grouped(variant(of: response, record, requestTime: requestTime), since: record.generations)
        engine.noteSearch(response.headers, finding)
        // Otherwise its end cannot be distinguished from a broken connection.
        guard response.isDelimited else { return (response.body, false) }
        return await store(response.body, variant, length: Self.length(of: response, variant))
    }

    private static func length(of response: TransportResponse, _ variant: CacheVariant) -> Int64? {
        variant.isDecoded ? nil : response.headers["Content-Length"].flatMap { FieldScanner.length($0) }
    }

    /// How waiting calls of this process may use this response, stored or not.
    func sharedOutcome(_ result: CachedResponse, requestTime: CacheTime) -> SharedRequests.Outcome {
        if result.outcome.source == .hit, let record = finding.record { return .record(record) }
        let (response, record) = (result.response, finding.record ?? CacheRecord())
        guard response.isDelimited, response.status != 206, let data = response.body.data,
            refusal(of: response, to: request) == nil
        else { return .own }
        let variant = variant(of: response, record, requestTime: requestTime)
        guard Self.length(of: response, variant) ?? Int64(data.count) == Int64(data.count) else { return .own }
        var shared = CacheRecord(variants: [variant.withContent(.inline(data))], generations: record.generations)
        shared.tier = .memory
        return .record(shared)
    }

    func refusal(of response: TransportResponse, to request: TransportRequest) -> StorageRefusal? {
        guard request.body.isEmpty else { return .method }
        // Its content was dropped or failed.
        if request.delivery == .discard || response.contentFailure != nil { return .incomplete }
        // Other calls need decoded content.
        if request.coding == .identity, !response.isDecoded, response.headers.isCompressed { return .incomplete }
        return .of(request.method, request.headers, response.status, response.headers)
    }

    func variant(of response: TransportResponse, _ record: CacheRecord, requestTime: CacheTime) -> CacheVariant {
        let responseTime = engine.now()
        var headers = StoredFields.kept(response.headers)
        if !headers.contains("Date") { headers.append("Date", FieldDate.format(responseTime.wallMilliseconds)) }
        var variant = CacheVariant(
            status: response.status,
            headers: headers,
            selectingFields: Vary.selecting(Vary.names(response.headers) ?? [], in: request.headers),
            requestTime: requestTime,
            responseTime: responseTime,
            isDecoded: response.isDecoded || response.headers.isCompressed,
            generations: record.generations,
            content: .inline(Data())
        )
        variant.secretRules = scope.secretRules
        return variant
    }

    /// Removes the variant that the request would have used: the server's content differs and must not be stored.
    func removeSelected(_ record: CacheRecord) async {
        for variant in record.variants
        where variant.isPartial && Vary.matches(variant.selectingFields, request.headers) {
            await vault.remove(variant, finding.key)
        }
        guard let index = select(record.variants, request.headers) else { return }
        await vault.remove(record.variants[index], finding.key)
    }

    /// RFC 9111, 4.3.5: an invalidation ends only if a validator shows that the content is still current.
    private func update(by response: TransportResponse, _ record: CacheRecord, requestTime: CacheTime) async {
        guard response.status == 200, let index = select(record.variants, request.headers),
            let isConfirmed = Revalidation.isConfirmed(record.variants[index], by: response.headers)
        else { return }
        guard isConfirmed else { return await vault.invalidate(CacheInvalidation([finding.key])) }
        let variant = record.variants[index]
        let revalidation = revalidation(by: response, requestTime: requestTime, responseTime: engine.now())
        let isProven = Revalidation.isSame(response.headers, variant)
        _ = await confirm([variant], revalidation, isProven ? record.generations : nil)
    }
}
