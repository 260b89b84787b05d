import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

extension CacheExchange {
    /// Stores content, a stream while it is read; returns the caller's body, and whether it is stored now.
    func store(
        _ body: ResponseBody,
        _ variant: CacheVariant,
        length: Int64?,
        surrounding: SurroundingBytes? = nil
    ) async -> (ResponseBody, Bool) {
        guard engine.clearedOriginCount.withLock({ $0 }) == finding.clearedOriginCount else { return (body, false) }
        switch body {
        case .bytes(let data): return (body, await store(data, variant, length, surrounding))
        case .file(let url): return (body, await store(url, variant, length, surrounding))
        case .duplex: return (body, false)
        case .stream(let stream):
            // Stored while the caller reads; its call has ended by then.
            let writer = await writer(of: variant, to: engine.vault, length: length, surrounding)
            guard let writer else { return (body, false) }
            let tee = StreamTee(stream, length: length, writer) { [counts = engine.counts] in
                counts.withLock { $0.stored += 1 }
            }
            return (.stream(tee.stream), false)
        }
    }

    private func store(
        _ data: Data,
        _ variant: CacheVariant,
        _ length: Int64?,
        _ surrounding: SurroundingBytes?
    ) async -> Bool {
        guard length ?? Int64(data.count) == Int64(data.count), let record = finding.record else { return false }
        if data.count <= CacheVariant.inlineLimit, surrounding == nil {
            let (variant, keepFor) = (variant.withContent(.inline(data)), variant.keepTime(in: scope.mode))
            return await vault.put(variant, finding.key, beside: record, keepFor: keepFor) == .written
        }
        guard let writer = await writer(of: variant, to: vault, length: Int64(data.count), surrounding),
            await writer.write(data)
        else { return false }
        return await writer.commit() == .written
    }

    /// Copies a file written by the transport, piece by piece.
    private func store(
        _ url: URL,
        _ variant: CacheVariant,
        _ length: Int64?,
        _ surrounding: SurroundingBytes?
    ) async -> Bool {
        let (files, copies, path) = (PosixFiles(), CacheEngine.copies, url.path)
        guard let file = await copies.run({ try? files.open(path, .read) }) else { return false }
        defer { files.close(file) }
        guard let size = await copies.run({ try? files.status(of: file).size }), length ?? Int64(size) == Int64(size),
            let writer = await writer(of: variant, to: vault, length: Int64(size), surrounding)
        else { return false }
        var offset = 0
        while offset < size {
            let (start, count) = (offset, min(1 << 18, size - offset))
            let bytes = await copies.run { try? files.readAll(file, at: start, count: count) }
            guard let bytes, bytes.count == count, await writer.write(Data(bytes)) else {
                await writer.discard()
                return false
            }
            offset += count
        }
        return await writer.commit() == .written
    }

    /// A writer that adds the bytes already stored, and discards all of them if an origin was cleared meanwhile.
    private func writer(
        of variant: CacheVariant,
        to vault: CacheVault,
        length: Int64?,
        _ surrounding: SurroundingBytes?
    ) async -> (any CacheWriter)? {
        guard let record = finding.record else { return nil }
        let writer = await vault.writer(
            of: variant,
            for: finding.key,
            beside: record,
            length: length.map { $0 + (surrounding?.count ?? 0) },
            keepFor: variant.keepTime(in: scope.mode)
        )
        guard let writer else { return nil }
        let restoring: any CacheWriter = surrounding.map { RestoringWriter(writer: writer, surrounding: $0) } ?? writer
        return CommitInterceptingWriter(writer: restoring) {
            [clearedOriginCount = engine.clearedOriginCount, before = finding.clearedOriginCount] writer in
            guard clearedOriginCount.withLock({ $0 }) == before else {
                await writer.discard()
                return .refused
            }
            return await writer.commit()
        }
    }
}
