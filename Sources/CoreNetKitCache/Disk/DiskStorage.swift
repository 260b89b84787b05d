import CoreNetKitChain
package import CoreNetKitSystem

import CoreNetKitEssentials

/// Keeps records in files of a folder, which several processes may share.
///
/// Nobody waits for a write: a change is seen by this storage at once, and stands in its file a moment later. There is
/// no index and no scan at the start; a file that is not whole is removed when it is read, and is one miss.
package final class DiskStorage: CacheStorage {
    /// Content up to this length stands in the record itself.
    package static let inlineLimit = 64 << 10

    package let entryLimit: Int64
    let records: DiskRecords
    let line: JobLine
    private let limit: Int64
    private let state = Locked(DiskState())
    private let reader: FileWorker
    private let trimmer: FileWorker
    private let now: @Sendable () -> Int64

    /// Uses a folder.
    ///
    /// - Parameters:
    ///   - path: The folder; made where it is not there, but not the folders above it.
    ///   - limit: The most bytes in it.
    ///   - files: The file system.
    ///   - now: Seconds since 1970.
    package init(
        _ path: String,
        limit: Int64,
        files: any FileOperations = PosixFiles(),
        now: @escaping @Sendable () -> Int64
    ) {
        records = DiskRecords(DiskFolder(root: path, files: files))
        self.limit = max(0, limit)
        self.now = now
        entryLimit = max(0, limit) / 8
        line = JobLine(FileWorker("cache.write"))
        reader = FileWorker("cache.read")
        trimmer = FileWorker("cache.trim")
    }

    deinit {
        if let lock = state.withLock({ $0.lock }) { records.folder.files.close(lock) }
    }

    package func record(for key: CacheKey) async -> CacheRecord? {
        guard key.isPersistent, limit > 0 else { return nil }
        // Taken before the file is read: a change that is written meanwhile is applied twice, which changes nothing.
        let edits = state.withLock { $0.edits[key] ?? [] }
        var record = await reader.run { self.isUsable() ? self.read(key, touches: true) : nil } ?? CacheRecord()
        for edit in edits { edit(&record) }
        return record.variants.isEmpty && record.invalidated == nil ? nil : record
    }

    package func change(_ key: CacheKey, _ edit: @escaping @Sendable (inout CacheRecord) -> Void) async {
        enqueue(key, edit)
    }

    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        switch variant.content {
        case .inline(let data): DataContent(data)
        case .stored(let name, let length): await reader.run { self.open(name, length: length, key) }
        }
    }

    package func writer(for key: CacheKey, length: Int64?) async -> (any CacheWriter)? {
        guard key.isPersistent, (length ?? 0) <= entryLimit, entryLimit > 0,
            state.withLock({ $0.isUsable ?? true })
        else { return nil }
        return DiskWriter(self, key, epoch: epoch(of: key.partition))
    }

    package func removeAll(partition: String?) async {
        state.withLock { state in
            state.epochs.end(partition)
            for key in state.edits.keys where partition == nil || key.partition == partition {
                // What is being written is removed behind it.
                state.edits[key] = Array(state.edits[key, default: []].prefix(state.writing[key] ?? 0))
            }
        }
        line.add { [self] in
            guard isUsable() else { return }
            DiskTrim(records.folder).removeAll(partition: partition)
            state.withLock { $0.size = nil }
        }
        await line.idle()
    }

    package var counts: CacheStorageCounts { state.withLock { $0.counts } }

    /// Waits until everything that was stored so far is in its files.
    package func flush() async { await line.idle() }
}

extension DiskStorage {
    /// A number that changes when the partition is emptied.
    func epoch(of partition: String) -> UInt64 { state.withLock { $0.epochs.epoch(of: partition) } }

    func failed(_ error: any Error) { state.withLock { $0.failed(error) } }

    /// Adds a change to those that are to be written.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - bytes: How much content the change carries: what a slow disk is behind with is limited.
    ///   - epoch: When its content began to be written: nothing comes back after its partition was emptied.
    ///   - edit: The change.
    /// - Returns: Whether it will be written.
    @discardableResult
    func enqueue(_ key: CacheKey, bytes: Int = 0, of epoch: UInt64? = nil, _ edit: @escaping RecordEdit) -> Bool {
        guard key.isPersistent, limit > 0 else { return false }
        let isTaken = state.withLock { state in
            guard bytes == 0 || state.lag + bytes <= DiskWriter.lagLimit else { return false }
            if let epoch, state.epochs.epoch(of: key.partition) != epoch { return false }
            state.lag += bytes
            state.edits[key, default: []].append(edit)
            return true
        }
        guard isTaken else { return false }
        line.add {
            self.write(key)
            self.state.withLock { $0.lag -= bytes }
        }
        return true
    }

    /// Whether the folder can be used; looked at once.
    func isUsable() -> Bool {
        if let isUsable = state.withLock({ $0.isUsable }) { return isUsable }
        do {
            try records.folder.prepare()
            state.withLock { $0.isUsable = true }
            return true
        } catch {
            state.withLock { state in
                if state.isUsable == nil { state.failed(error) }
                state.isUsable = false
            }
            return false
        }
    }

    private func read(_ key: CacheKey, touches: Bool) -> CacheRecord? {
        do {
            switch try records.read(key, now: touches ? now() : nil) {
            case .record(let record): return record
            case .nothing: return nil
            case .damaged:
                state.withLock { $0.counts.damaged += 1 }
                return nil
            }
        } catch {
            failed(error)
            return nil
        }
    }

    private func open(_ name: String, length: Int64, _ key: CacheKey) -> (any CacheContent)? {
        let files = records.folder.files
        let path = records.path(ofBody: name, key)
        guard let checksum = BodyName(name)?.checksum, let file = try? files.open(path, .read) else { return nil }
        if !state.withLock({ $0.verified.contains(path) }) {
            guard DiskContent.isWhole(file, length: length, checksum: checksum, files) else {
                files.close(file)
                try? files.remove(path)
                state.withLock { $0.counts.damaged += 1 }
                return nil
            }
            state.withLock { state in
                if state.verified.count > 10_000 { state.verified = [] }
                state.verified.insert(path)
            }
        }
        return DiskContent(file, length: length, files, reader)
    }

    /// Puts the changes of a key into its file.
    private func write(_ key: CacheKey) {
        let edits = state.withLock { $0.takeEdits(key) }
        defer { state.withLock { $0.dropWritten(key) } }
        guard !edits.isEmpty, isUsable() else { return }
        let isLocked = lock()
        defer { if isLocked, let file = state.withLock({ $0.lock }) { records.folder.files.unlock(file) } }
        let old = read(key, touches: false)
        var new = old ?? CacheRecord()
        for edit in edits { edit(&new) }
        // A 304 may have brought a cookie to what had none.
        new.variants.removeAll { $0.hasSecrets }
        guard let bytes = persist(new, key) else { return }
        records.removeBodies(of: old, without: new, key)
        grown(by: bytes)
    }

    /// Writes a record; on a full disk once more after making room.
    private func persist(_ record: CacheRecord, _ key: CacheKey) -> Int64? {
        for attempt in 0..<2 {
            do { return try records.write(record, key) } catch {
                failed(error)
                if attempt == 0, error.isFull {
                    trim(isFull: true)
                } else if attempt == 0, error.isMissing {
                    // The folder was removed behind our back.
                    try? records.folder.prepare()
                } else {
                    return nil
                }
            }
        }
        return nil
    }

    /// Other processes read, edit and write records, too; a few milliseconds without the lock are no reason to give up
    /// for ever: then the last writer wins.
    private func lock() -> Bool {
        let files = records.folder.files
        if state.withLock({ $0.lock }) == nil {
            guard let file = try? files.open("\(records.folder.root)/lock", .updateOrCreate) else { return false }
            state.withLock { $0.lock = file }
        }
        guard let file = state.withLock({ $0.lock }) else { return false }
        for _ in 0..<100 {
            guard let isLocked = try? files.tryLock(file) else { return false }
            if isLocked { return true }
            Pause.milliseconds(1)
        }
        return false
    }

    /// Counts bytes; beyond the limit, and at the first write, the folder is measured and trimmed behind everybody's back.
    func grown(by bytes: Int64) {
        let isDue = state.withLock { state in
            if let size = state.size { state.size = size + bytes.wholeBlocks }
            guard !state.isTrimming, (state.size ?? .max) > limit else { return false }
            state.isTrimming = true
            return true
        }
        guard isDue else { return }
        Task { [self] in await trimmer.run { self.trim() } }
    }

    private func trim(isFull: Bool = false) {
        defer { state.withLock { $0.isTrimming = false } }
        let files = records.folder.files
        guard let file = try? files.open("\(records.folder.root)/trim", .updateOrCreate) else { return }
        defer { files.close(file) }
        guard (try? files.tryLock(file)) == true else {
            // Another process is at it.
            return state.withLock { $0.size = limit / 10 * 9 }
        }
        let result = DiskTrim(records.folder).run(limit: limit, now: now(), isFull: isFull)
        state.withLock { state in
            state.size = result.bytes
            state.counts.bytes = result.bytes
            state.counts.entries = result.entries
            state.counts.evictions += result.evictions
        }
    }
}
