import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Parts of representations (RFC 9111, 3.3 and 3.4): stored, extended by other parts of the same bytes, completed.
extension CacheExchange {
    /// Requests the bytes after a stored part, and responds with both; if that fails, sends the caller's own request.
    func complete(_ index: Int, _ fields: Headers) async throws -> CachedResponse {
        let reason = finding.decision.reason
        guard let record = finding.record, let variant = finding.variant(index), let part = variant.partialRange,
            mayComplete, let content = await vault.content(of: variant, for: finding.key)
        else { return try await fetch(request, reason) }
        var sent = request
        sent.headers.merge(fields)
        let requestTime = engine.now()
        let response = try await send(sent)
        guard response.status == 206 || response.status == 416 else {
            return await received(response, requestTime: requestTime, reason, wasValidation: false)
        }
        let head = head(of: response, requestTime: requestTime)
        let range = part.total.flatMap { ByteRange(fields["Range"] ?? "")?.positions(in: $0) }
        guard response.status == 206, let found = ContentRange(response.headers), found.positions == range,
            let joined = head.flatMap({ joined($0, found, with: variant, part) }),
            let bytes = try? await response.body.collect(limit: found.positions.count),
            bytes.count == found.positions.count
        else { return try await fetch(request, reason) }
        var isStored = false
        if let refusal = refusal(of: response, to: sent) {
            if refusal.replaces { await removeSelected(record) }
        } else {
            let surrounding = SurroundingBytes(content: content, before: 0..<content.length, after: 0..<0)
            let head = await grouped(joined, since: record.generations)
            (_, isStored) = await store(.bytes(bytes), head, length: Int64(bytes.count), surrounding: surrounding)
        }
        let whole = JoinedContent(first: content, second: bytes)
        guard let result = try await engine.response(joined, whole, to: request, age: 0, within: scope.deadline) else {
            return try await fetch(request, .vanished)
        }
        var outcome = CacheOutcome(.network, reason)
        (outcome.forwardStatus, outcome.isStored) = (206, isStored)
        return (result, outcome)
    }

    /// Processes a 206: stores it, or updates or extends a stored response; returns its content, and whether it did.
    func receivedPart(_ response: TransportResponse, _ record: CacheRecord, requestTime: CacheTime) async
        -> (ResponseBody, Bool)
    {
        guard let head = head(of: response, requestTime: requestTime), let range = head.facts.contentRange,
            response.isDelimited
        else { return (response.body, false) }
        if let index = select(record.variants, request.headers) {
            let whole = record.variants[index]
            if whole.isSame(as: head), whole.content.length == range.total {
                // RFC 9111, 3.4: a part of the stored representation, with newer fields.
                let revalidation = revalidation(by: response, requestTime: requestTime, responseTime: head.responseTime)
                return (response.body, await renew(revalidation.applied(to: whole, generations: record.generations)))
            }
            // The server has other bytes than those stored.
            if let old = whole.facts.entityTag, let new = head.facts.entityTag, old != new {
                await vault.remove(whole, finding.key)
            }
        }
        let count = Int64(range.positions.count)
        let old = record.variants.last { $0.replaces(head) && $0.isSame(as: head) }
        guard let old, let part = old.partialRange, let joined = joined(head, range, with: old, part),
            let content = await vault.content(of: old, for: finding.key)
        else { return await store(response.body, await grouped(head, since: record.generations), length: count) }
        let (start, end) = (part.positions.lowerBound, part.positions.upperBound)
        let surrounding = SurroundingBytes(
            content: content,
            before: 0..<max(0, min(end, range.positions.lowerBound) - start),
            after: max(0, min(range.positions.upperBound, end) - start)..<(end - start)
        )
        let whole = await grouped(joined, since: record.generations)
        return await store(response.body, whole, length: count, surrounding: surrounding)
    }

    /// Whether a combined response can be delivered: not if the transport writes or drops the content.
    private var mayComplete: Bool {
        switch request.delivery {
        case .collect, .stream: true
        case .file, .discard, .duplex: false
        }
    }

    private func head(of response: TransportResponse, requestTime: CacheTime) -> CacheVariant? {
        guard let record = finding.record else { return nil }
        let head = variant(of: response, record, requestTime: requestTime)
        return head.isDecoded ? nil : head
    }

    /// The head of two combined parts (RFC 9111, 3.4); `nil` for other bytes, or a gap between them.
    private func joined(_ head: CacheVariant, _ range: ContentRange, with old: CacheVariant, _ part: ContentRange)
        -> CacheVariant?
    {
        guard old.isSame(as: head), let union = part.joined(with: range) else { return nil }
        var headers = StoredFields.merged(old.headers, with: head.headers)
        headers["Content-Range"] = union.isWhole ? nil : union.text
        headers["Content-Length"] = String(union.positions.count)
        var joined = CacheVariant(
            status: union.isWhole ? 200 : 206,
            headers: headers,
            selectingFields: head.selectingFields,
            requestTime: head.requestTime,
            responseTime: head.responseTime,
            isDecoded: false,
            generations: head.generations,
            content: .inline(Data())
        )
        (joined.secretRules, joined.isConfidential) = (head.secretRules, old.isConfidential)
        return joined
    }
}

extension CacheVariant {
    /// Whether a strong tag proves that both are of the same bytes.
    fileprivate func isSame(as other: CacheVariant) -> Bool {
        EntityTag.matchesStrongly(facts.entityTag ?? "", other.facts.entityTag ?? "")
    }
}

/// The stored bytes before and after an arriving part of the same content.
struct SurroundingBytes: Sendable {
    let content: any CacheContent
    /// Positions in the stored content.
    let before: Range<Int64>
    let after: Range<Int64>

    var count: Int64 { Int64(before.count + after.count) }
}

/// Adds the stored bytes, the first of them before the first chunk: a head does not wait for them.
struct RestoringWriter: CacheWriter {
    let writer: any CacheWriter
    let surrounding: SurroundingBytes
    private let hasBegun = Locked(false)

    func write(_ chunk: Data) async -> Bool {
        guard await begin() else { return false }
        return await writer.write(chunk)
    }

    func commit() async -> CacheEdit.Result {
        guard await begin(), await surrounding.content.copy(surrounding.after, to: writer) else {
            await writer.discard()
            return .failed
        }
        return await writer.commit()
    }

    func discard() async { await writer.discard() }

    private func begin() async -> Bool {
        hasBegun.set() ? await surrounding.content.copy(surrounding.before, to: writer) : true
    }
}

/// A stored part and the bytes after it, as one content.
struct JoinedContent: CacheContent {
    let first: any CacheContent
    let second: Data

    var length: Int64 { first.length + Int64(second.count) }

    func read(_ range: Range<Int64>) async -> Data? {
        guard range.lowerBound >= 0, range.upperBound <= length else { return nil }
        var data = Data()
        let head = range.clamped(to: 0..<first.length)
        if !head.isEmpty {
            guard let bytes = await first.read(head) else { return nil }
            data = bytes
        }
        let tail = range.clamped(to: first.length..<length)
        guard !tail.isEmpty else { return data }
        let start = second.startIndex + Int(tail.lowerBound - first.length)
        return data + second[start..<start + tail.count]
    }
}

extension CacheContent {
    func copy(_ range: Range<Int64>, to writer: any CacheWriter) async -> Bool {
        var position = range.lowerBound
        while position < range.upperBound {
            let end = min(range.upperBound, position + 1 << 18)
            guard let piece = await read(position..<end), await writer.write(piece) else { return false }
            position = end
        }
        return true
    }
}
