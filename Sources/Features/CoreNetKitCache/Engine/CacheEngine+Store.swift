import CoreNetKitSystem

import CoreNetKitHTTP

import CoreNetKitEssentials

/// A response about to be stored.
package struct StoredEntry: Sendable {
    let key: CacheKey
    /// The record and counters when its exchange began.
    let record: CacheRecord
    /// The head.
    let variant: CacheVariant
    let keepFor: Duration
    /// The declared length of the content, which must match.
    let length: Int64?
    /// Whether the end of the content can be distinguished from a broken connection.
    let isDelimited: Bool
    /// The bytes of the content that are already stored.
    var surrounding: SurroundingBytes?
    /// The count of cleared origins when its exchange began.
    var clears: UInt64 = 0
    /// The deadline of the call.
    var deadline: Duration?
}

extension CacheEngine {
    /// Stores content that is complete, or while it is read.
    ///
    /// - Returns: The body for the caller, and whether it is stored now.
    func store(_ body: ResponseBody, _ entry: StoredEntry) async -> (ResponseBody, Bool) {
        guard entry.isDelimited, clears.withLock({ $0 }) == entry.clears else { return (body, false) }
        switch body {
        case .bytes(let data): return (body, await store(data, entry))
        case .file(let url): return (body, await store(url, entry))
        case .duplex: return (body, false)
        case .stream(let stream):
            // Stored while the caller reads; its call has ended by then.
            guard let writer = await writer(for: entry, within: nil, length: entry.length) else { return (body, false) }
            let tee = StreamTee(stream, length: entry.length, writer) { [storedLate] in
                storedLate.withLock { $0 += 1 }
            }
            return (.stream(tee.stream), false)
        }
    }

    private func store(_ data: Data, _ entry: StoredEntry) async -> Bool {
        guard entry.length ?? Int64(data.count) == Int64(data.count) else { return false }
        if data.count <= CacheVariant.inlineLimit, entry.surrounding == nil {
            let variant = entry.variant.holding(.inline(data))
            return await vault.within(entry.deadline)
                .put(variant, entry.key, beside: entry.record, keepFor: entry.keepFor) == .written
        }
        guard let writer = await writer(for: entry, within: entry.deadline, length: Int64(data.count)),
            await writer.write(data)
        else {
            return false
        }
        return await writer.commit() == .written
    }

    private func writer(for entry: StoredEntry, within deadline: Duration?, length: Int64?) async -> (any CacheWriter)?
    {
        let writer = await vault.within(deadline).writer(
            of: entry.variant,
            for: entry.key,
            beside: entry.record,
            length: length.map { $0 + (entry.surrounding?.count ?? 0) },
            keepFor: entry.keepFor
        )
        guard let writer else { return nil }
        let restoring: any CacheWriter = entry.surrounding.map { RestoringWriter(writer, $0) } ?? writer
        return ClearedWriter(restoring) { [clears] in clears.withLock { $0 } == entry.clears }
    }

    /// Copies a file written by the transport, piece by piece.
    private func store(_ url: URL, _ entry: StoredEntry) async -> Bool {
        let files = PosixFiles()
        let path = url.path
        guard let file = await Self.copies.run({ try? files.open(path, .read) }) else { return false }
        defer { files.close(file) }
        guard let size = await Self.copies.run({ try? files.status(of: file).size }),
            entry.length ?? Int64(size) == Int64(size),
            let writer = await writer(for: entry, within: entry.deadline, length: Int64(size))
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
        }
        return await writer.commit() == .written
    }

    /// Writes content to a file, piece by piece and atomically: a reader finds all of it or the previous file.
    ///
    /// - Returns: Whether all of it could be read.
    /// - Throws: ``FileError`` if the file cannot be written.
    func copy(_ content: any CacheContent, _ range: Range<Int64>, to url: URL) async throws -> Bool {
        let files = PosixFiles()
        let path = url.path
        let draft = "\(path).\(UInt64.random(in: .min ... .max))"
        let file = try await Self.copies.run { () throws(FileError) in try files.open(draft, .create) }
        do {
            defer { files.close(file) }
            var position = range.lowerBound
            while position < range.upperBound {
                let end = min(range.upperBound, position + 1 << 20)
                guard let piece = await content.read(position..<end) else {
                    await Self.copies.run { try? files.remove(draft) }
                    return false
                }
                let offset = Int(position - range.lowerBound)
                try await Self.copies.run { () throws(FileError) in try files.writeAll(file, [UInt8](piece), at: offset)
                }
                position = end
            }
            try await Self.copies.run { () throws(FileError) in try files.rename(draft, to: path) }
        } catch {
            await Self.copies.run { try? files.remove(draft) }
            throw error
        }
        return true
    }

    private static let copies = FileWorker("cache.copy")
}
