import CoreNetKitSystem

package import CoreNetKitHTTP

import CoreNetKitEssentials

extension CacheEngine {
    /// Does with a response of the server what its method, status and fields ask for.
    package func received(
        _ response: TransportResponse,
        requested: CacheTime,
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ finding: CacheFinding,
        _ reason: CacheReason,
        _ epoch: UInt64,
        wasValidation: Bool
    ) async throws -> CachedResponse {
        let key = finding.key
        var outcome = CacheOutcome(.network, reason)
        outcome.forwardStatus = response.status
        if Invalidating.applies(method: request.method, status: response.status) {
            await invalidate(by: response, to: request, scope)
        }
        guard scope.mode.kind != .off else { return CachedResponse(response, outcome) }
        if request.method == .head {
            await update(key, byHead: response, request, requested: requested)
            return CachedResponse(response, outcome)
        }
        // RFC 9111, 4.3.3: a failed validation replaces nothing.
        let isStorable = wasValidation && response.status >= 500 ? false : mayStore(response, to: request, scope)
        guard isStorable, let names = Vary.names(response.headers) else {
            return CachedResponse(response, outcome)
        }
        let received = now()
        var headers = StoredFields.kept(response.headers)
        if !headers.contains("Date") { headers.append("Date", FieldDate.format(received.wall)) }
        let isDecoded = response.isDecoded || Storing.isDecoded(response.headers)
        let selecting = Vary.selecting(names, in: request.headers)
        let entry = StoredEntry(
            key: key,
            epoch: epoch,
            length: isDecoded ? nil : response.headers["Content-Length"].flatMap { DeltaSeconds.length($0) },
            isDelimited: response.isDelimited
        ) { [status = response.status, headers, secrets = scope.secrets] content in
            var variant = CacheVariant(
                status: status,
                headers: headers,
                selecting: selecting,
                requested: requested,
                received: received,
                isDecoded: isDecoded,
                content: content
            )
            variant.secrets = secrets
            return variant
        }
        var result = response
        (result.body, outcome.isStored) = await store(response.body, entry)
        return CachedResponse(result, outcome)
    }

    private func mayStore(_ response: TransportResponse, to request: TransportRequest, _ scope: CacheScope) -> Bool {
        guard request.body.isEmpty else { return false }
        // Its content was dropped on the way.
        if request.delivery == .discard { return false }
        let refusal = Storing.refusal(
            method: request.method,
            request: request.headers,
            status: response.status,
            response: response.headers,
            mode: scope.mode
        )
        return refusal == nil
    }

    private func invalidate(by response: TransportResponse, to request: TransportRequest, _ scope: CacheScope) async {
        for url in Invalidating.urls(of: request.url, headers: response.headers) {
            await invalidate(url, in: scope)
        }
        for group in CacheGroups.invalidated(by: response.headers) {
            await invalidate(group: group, of: request.url, in: scope)
        }
    }

    /// RFC 9111, 4.3.5.
    private func update(
        _ key: CacheKey,
        byHead response: TransportResponse,
        _ request: TransportRequest,
        requested: CacheTime
    ) async {
        guard response.status == 200, await storage.record(for: key) != nil else { return }
        let update = Refreshment(
            request: request.headers,
            response: response.headers,
            requested: requested,
            received: now()
        )
        await storage.change(key) { record in
            guard let index = select(record.variants, update.request) else { return }
            switch Updating.verdict(status: 200, headers: update.response, on: record.variants[index]) {
            case .update: record.variants[index] = update.applied(to: record.variants[index])
            case .invalidate: record.variants[index].isInvalid = true
            case .nothing: break
            }
        }
    }
}

/// A response on its way into the storage.
package struct StoredEntry: Sendable {
    package let key: CacheKey
    /// When the exchange began: nothing comes back after its partition was emptied.
    package let epoch: UInt64
    /// The number of bytes that were announced and must be there.
    package let length: Int64?
    /// Whether the end of the content can be told from a cut connection.
    package let isDelimited: Bool
    package let make: @Sendable (CacheVariant.Content) -> CacheVariant
}

extension CacheEngine {
    /// Stores content that is there, or while it is read; gives what the caller gets in its place.
    private func store(_ body: ResponseBody, _ entry: StoredEntry) async -> (ResponseBody, Bool) {
        guard entry.isDelimited else { return (body, false) }
        switch body {
        case .bytes(let data):
            guard entry.length ?? Int64(data.count) == Int64(data.count),
                let writer = await writer(for: entry, length: Int64(data.count)),
                await writer.write(data)
            else { return (body, false) }
            return (body, await writer.commit(entry.make))
        case .file(let url):
            return (body, await store(url, entry))
        case .stream(let stream):
            guard let writer = await writer(for: entry, length: entry.length) else { return (body, false) }
            return (.stream(StreamTee(stream, entry, writer).stream), true)
        }
    }

    /// A writer of the exchange's epoch.
    private func writer(for entry: StoredEntry, length: Int64?) async -> (any CacheWriter)? {
        guard let writer = await storage.writer(for: entry.key, length: length) else { return nil }
        // Asked once it is open: the storage ends its own epoch after the engine's, so what is removed from here on ends the
        // writer, too.
        guard entry.epoch == epoch(of: entry.key.partition) else {
            await writer.discard()
            return nil
        }
        return writer
    }

    /// Copies a file that the transport has written, piece by piece.
    private func store(_ url: URL, _ entry: StoredEntry) async -> Bool {
        let files = PosixFiles()
        let path = url.path
        guard let file = await Self.copies.run({ try? files.open(path, .read) }) else { return false }
        defer { files.close(file) }
        guard let size = await Self.copies.run({ try? files.status(of: file).size }),
            entry.length ?? Int64(size) == Int64(size),
            let writer = await writer(for: entry, length: Int64(size))
        else { return false }
        var offset = 0
        while offset < size {
            let (start, count) = (offset, min(1 << 18, size - offset))
            let bytes = await Self.copies.run { try? files.readAll(file, at: start, count: count) }
            guard let bytes, bytes.count == count, await writer.write(Data(bytes)) else {
                await writer.discard()
                return false
            }
            offset += count
            // The caller waits anyway: a slow disk is waited for, too.
            if offset.isMultiple(of: 1 << 20) { await storage.flush() }
        }
        return await writer.commit(entry.make)
    }

    private static let copies = FileWorker("cache.copy")
}
