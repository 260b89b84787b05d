import CoreNetKitSystem

import CoreNetKitEssentials

/// Memory before a disk: copies of what the disk has, and what must not be written down.
///
/// A key that is not persistent, a response that sets a cookie, and one that was selected by a secret field stay in
/// memory.
package struct TieredStorage: ImmediateStorage {
    private let front: MemoryStorage
    private let confidential: MemoryStorage
    package let disk: DiskStorage
    /// Counts changes, so that no copy is kept of what was read before one.
    private let changes = Locked<UInt64>(0)

    /// Puts memory before a disk.
    ///
    /// - Parameters:
    ///   - memory: The most bytes in memory; a quarter of it, at least 256 KiB, for what must not be written down.
    ///   - disk: The disk.
    package init(memory: Int64, disk: DiskStorage) {
        front = MemoryStorage(limit: memory / 4 * 3)
        confidential = MemoryStorage(limit: max(memory / 4, 256 << 10))
        self.disk = disk
    }

    package func record(for key: CacheKey) async -> CacheRecord? {
        let secret = await confidential.record(for: key)
        guard key.isPersistent else { return secret }
        let seen = changes.withLock { $0 }
        var record: CacheRecord
        if let copy = await front.record(for: key) {
            record = copy
        } else if let read = await disk.record(for: key) {
            changes.withLock { if $0 == seen { front.keep(read, for: key) } }
            record = read
        } else {
            return secret
        }
        guard let secret else { return record }
        record.variants += secret.variants
        if let later = secret.invalidated, record.invalidated?.precedes(present: later) ?? true {
            record.invalidated = later
        }
        return record
    }

    package func peek(_ key: CacheKey) -> CachePeek {
        guard key.isPersistent else { return confidential.peek(key) }
        // What has a secret beside it is put together by ``record(for:)``.
        guard !confidential.contains(key), case .known(let copy?) = front.peek(key) else { return .unknown }
        return .known(copy)
    }

    package func change(_ key: CacheKey, _ edit: @escaping @Sendable (inout CacheRecord) -> Void) async {
        await disk.change(key, edit)
        changed(key)
        if !key.isPersistent || confidential.contains(key) { await confidential.change(key, edit) }
    }

    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        await disk.content(of: variant, for: key)
    }

    package func writer(for key: CacheKey, length: Int64?) async -> (any CacheWriter)? {
        let secret = await confidential.writer(for: key, length: length)
        guard key.isPersistent else { return secret }
        return TieredWriter(open: await disk.writer(for: key, length: length), secret: secret) { changed(key) }
    }

    package func removeAll(partition: String?) async {
        await confidential.removeAll(partition: partition)
        await disk.removeAll(partition: partition)
        // What was read before keeps no copy; what is copied already goes with the rest.
        changes.withLock { $0 &+= 1 }
        await front.removeAll(partition: partition)
    }

    package func flush() async { await disk.flush() }

    private func changed(_ key: CacheKey) {
        changes.withLock {
            $0 &+= 1
            front.remove(key)
        }
    }

    package var counts: CacheStorageCounts {
        var counts = disk.counts
        let memory = confidential.counts
        counts.entries += memory.entries
        counts.bytes += memory.bytes
        return counts
    }
}

/// Writes to both until the head says which of them may keep it.
struct TieredWriter: CacheWriter {
    let open: (any CacheWriter)?
    let secret: (any CacheWriter)?
    let changed: @Sendable () -> Void

    func write(_ chunk: Data) async -> Bool {
        let isOpen = await open?.write(chunk) ?? false
        let isSecret = await secret?.write(chunk) ?? false
        return isOpen || isSecret
    }

    func commit(_ make: @escaping @Sendable (CacheVariant.Content) -> CacheVariant) async -> Bool {
        let isSecret = make(.inline(Data())).hasSecrets
        await (isSecret ? open : secret)?.discard()
        let isStored = await (isSecret ? secret : open)?.commit(make) ?? false
        changed()
        return isStored
    }

    func discard() async {
        await open?.discard()
        await secret?.discard()
    }
}
