import CoreNetKitChain
import CoreNetKitEssentials
package import CoreNetKitSystem

/// Keeps records in files of a folder, which several processes may share.
///
/// Calls do not wait for writes: this storage sees a change at once, and its file contains it a moment later.
package final class DiskStorage: CacheStorage {
    package let entryLimit: Int64
    package let shared: SharedGenerations
    let folder: DiskFolder
    let jobQueue = SerialJobQueue()
    /// How many bytes may wait to be written: an eighth of the limit, between 1 and 64 MiB.
    private let lagLimit: Int
    private let limit: Int64
    private let state: Locked<DiskState>
    private let reader = FileWorker("cache.read")
    private let trimmer = FileWorker("cache.trim")
    private let now: @Sendable () -> Int64

    /// Uses a folder, which is created if it is missing, but not the folders above it.
    package init(
        _ path: String,
        limit: Int64,
        files: any FileOperations = PosixFiles(),
        now: @escaping @Sendable () -> Int64
    ) {
        let folder = DiskFolder(root: path, files: files)
        let state = Locked(DiskState())
        (self.folder, self.state) = (folder, state)
        shared = SharedGenerations("\(folder.base)/counters", files) { Self.isUsable(folder, state) }
        lagLimit = Int(max(1 << 20, min(limit / 8, 64 << 20)))
        self.limit = max(0, limit)
        self.now = now
        entryLimit = max(0, limit) / 8
    }

    deinit {
        if let lock = state.withLock({ $0.lock }) { folder.files.close(lock) }
    }

    package func record(for key: CacheKey) async -> CacheRecord? {
        guard key.isPersistent, limit > 0 else {
            return CacheRecord(variants: [], generations: shared.generations(of: key))
        }
        // Taken before the file is read: an edit that is written meanwhile is applied twice, which has no effect.
        let edits = state.withLock { $0.edits[key] ?? [] }
        return await reader.run {
            var record = self.isUsable() ? self.read(key, touches: true) ?? CacheRecord() : CacheRecord()
            let now = self.shared.generations(of: key)
            for edit in edits { _ = record.apply(edit, at: now) }
            record = CacheRecord(variants: record.variants, generations: now)
            record.tier = .disk
            return record
        }
    }

    package func generations(of key: CacheKey) -> CacheGenerations? { shared.generations(of: key) }

    package func generations(at slots: [Int]) async -> [UInt64]? { shared.generations(at: slots) }

    package func apply(_ edit: CacheEdit) async -> CacheEdit.Result {
        if case .invalidate(let invalidation) = edit { return await reader.run { self.invalidate(invalidation) } }
        guard let key = edit.key, key.isPersistent, limit > 0 else { return .refused }
        guard await isKnownUsable() else { return .failed }
        guard case .put(let variant, _, _) = edit, case .inline(let data) = variant.content else {
            return enqueue(edit, key)
        }
        guard data.count <= CacheVariant.inlineLimit, isAllowed(variant, key) else { return .refused }
        return enqueue(edit, key, bytes: data.count)
    }

    package func content(of variant: CacheVariant, for key: CacheKey) async -> (any CacheContent)? {
        switch variant.content {
        case .inline(let data): DataContent(data)
        case .stored(let name, let length): await reader.run { self.open(name, length: length, key) }
        }
    }

    package func writer(of variant: CacheVariant, for key: CacheKey, length: Int64?, keepFor: Duration) async
        -> (any CacheWriter)?
    {
        guard key.isPersistent, (length ?? 0) <= entryLimit, entryLimit > 0, await isKnownUsable() else { return nil }
        return DiskWriter(self, variant, key, keepFor: keepFor)
    }

    @discardableResult
    package func removeAll(partition: String?) async -> Bool {
        let isCounted = await reader.run {
            // Under the writers' lock: a writer that read the generation earlier has finished, so its file is found.
            let isLocked = self.isUsable() && self.lock()
            defer { if isLocked { self.unlock() } }
            return self.shared.invalidate(partition: partition)
        }
        state.withLock { state in
            for key in state.edits.keys where partition == nil || key.partition == partition {
                // A change that is being written is removed from the disk afterwards.
                state.edits[key] = Array(state.edits[key, default: []].prefix(state.writing[key] ?? 0))
            }
        }
        jobQueue.add { [self] in
            guard isUsable() else { return }
            folder.removeAll(partition: partition)
            state.withLock { $0.size = nil }
        }
        await jobQueue.idle()
        return isCounted
    }

    package func keys(partition: String?) async -> [CacheKey]? {
        await jobQueue.waitForCurrentJobs()
        return await reader.run { self.isUsable() ? self.folder.keys(partition: partition) : [] }
    }

    package var counts: CacheStorageCounts { state.withLock { $0.counts } }

    package func flush() async { await jobQueue.idle() }

    func failed(_ error: any Error) { state.withLock { $0.failed(error) } }

    /// Whether the partition of a response has not been emptied since its exchange began.
    func isAllowed(_ variant: CacheVariant, _ key: CacheKey) -> Bool {
        variant.generations.partition == shared.generations(of: key).partition
    }

    private func isKnownUsable() async -> Bool {
        if let isUsable = state.withLock({ $0.isUsable }) { return isUsable }
        return await reader.run { self.isUsable() }
    }

    private func invalidate(_ invalidation: CacheInvalidation) -> CacheEdit.Result {
        let isWritten = shared.invalidate(invalidation)
        // The records of older versions, which do not know invalidations, are removed.
        let keys = invalidation.resources.filter(\.isPersistent)
        for path in keys.isEmpty ? [] : folder.oldPaths(of: keys) { try? folder.files.remove(path) }
        return isWritten ? .written : .failed
    }

    /// Waits until so many bytes may be queued for the disk.
    func reserve(_ bytes: Int) async -> Bool {
        for _ in 0..<1000 {
            let isTaken = state.withLock { state in
                guard state.lag == 0 || state.lag + bytes <= lagLimit else { return false }
                state.lag += bytes
                return true
            }
            if isTaken { return true }
            await jobQueue.waitForCurrentJobs()
        }
        return false
    }

    func release(_ bytes: Int) { state.withLock { $0.lag -= bytes } }

    @discardableResult
    func enqueue(_ edit: CacheEdit, _ key: CacheKey, bytes: Int = 0) -> CacheEdit.Result {
        let isTaken = state.withLock { state in
            guard bytes == 0 || state.lag + bytes <= lagLimit else {
                state.counts.droppedWrites += 1
                return false
            }
            state.lag += bytes
            state.edits[key, default: []].append(edit)
            return true
        }
        guard isTaken else { return .failed }
        jobQueue.add {
            self.write(key)
            self.release(bytes)
        }
        return .written
    }

    /// Whether the folder can be used; checked once.
    func isUsable() -> Bool { Self.isUsable(folder, state) }

    private static func isUsable(_ folder: DiskFolder, _ state: Locked<DiskState>) -> Bool {
        if let isUsable = state.withLock({ $0.isUsable }) { return isUsable }
        do {
            try folder.prepare()
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
            let found = try folder.read(key, now: touches ? now() : nil)
            if found.isDamaged { state.withLock { $0.counts.damaged += 1 } }
            return found.record
        } catch {
            failed(error)
            return nil
        }
    }

    private func open(_ name: String, length: Int64, _ key: CacheKey) -> (any CacheContent)? {
        let files = folder.files
        let path = folder.path(ofBody: name, key)
        guard let checksum = RecordFormat.checksum(ofBody: name), let file = try? files.open(path, .read) else {
            return nil
        }
        let onDamage: @Sendable () -> Void = { [state] in
            try? files.remove(path)
            state.withLock { $0.counts.damaged += 1 }
        }
        let content = DiskContent(file, length: length, checksum: checksum, files, reader, onDamage: onDamage)
        if content == nil { onDamage() }
        return content
    }

    private func write(_ key: CacheKey) {
        let edits = state.withLock { $0.takeEdits(key) }
        defer { state.withLock { $0.dropWritten(key) } }
        guard !edits.isEmpty, isUsable() else { return }
        let isLocked = lock()
        defer { if isLocked { unlock() } }
        let old = read(key, touches: false)
        var new = old ?? CacheRecord()
        let now = shared.generations(of: key)
        for edit in edits { _ = new.apply(edit, at: now) }
        let bytes = persist(new, key)
        folder.removeBodies(of: old, and: edits, except: bytes == nil ? old : new, key)
        if let bytes { grown(by: bytes) }
    }

    /// Writes a record; on a full disk once more after making room.
    private func persist(_ record: CacheRecord, _ key: CacheKey) -> Int64? {
        for attempt in 0..<2 {
            do {
                let bytes = try folder.write(record, key)
                state.withLock { $0.fullSince = nil }
                return bytes
            } catch {
                failed(error)
                guard attempt == 0 || error.isFull else { return nil }
                if error.isFull {
                    guard makeRoom(isAgain: attempt > 0, for: record) else { return nil }
                } else if error.isMissing {
                    // The folder was removed by another program.
                    try? folder.prepare()
                    shared.reopen()
                } else {
                    return nil
                }
            }
        }
        return nil
    }

    /// Makes room for a record on a full disk; not for a minute after it did not help: something else fills the disk.
    private func makeRoom(isAgain: Bool, for record: CacheRecord) -> Bool {
        let time = now()
        let mayTry = state.withLock { state in
            if isAgain { state.fullSince = time }
            return state.fullSince.map { time < $0 || time >= $0 + 60 } ?? true
        }
        guard mayTry, !isAgain else { return false }
        let needed = record.variants.reduce(Int64(4096)) { sum, variant in
            if case .inline(let data) = variant.content { sum + Int64(data.count) } else { sum }
        }
        trim(freeing: 2 * needed.wholeBlocks)
        return true
    }

    private func unlock() {
        if let file = state.withLock({ $0.lock }) { folder.files.unlock(file) }
    }

    /// Takes the lock against other writers; without it after 100 ms the write proceeds, and the last writer wins.
    private func lock() -> Bool {
        let files = folder.files
        let known = state.withLock { $0.lock }
        guard let file = known ?? (try? files.open("\(folder.base)/lock", .updateOrCreate)) else { return false }
        if known == nil { state.withLock { $0.lock = file } }
        return (try? files.lock(file, within: .milliseconds(100))) == true
    }

    /// Counts bytes; over the limit, and at the first write, the folder is measured and trimmed in the background.
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

    private func trim(freeing: Int64 = 0) {
        defer { state.withLock { $0.isTrimming = false } }
        let files = folder.files
        guard let file = try? files.open("\(folder.base)/trim", .updateOrCreate) else { return }
        defer { files.close(file) }
        guard (try? files.tryLock(file)) == true else {
            // Another process is trimming.
            return state.withLock { $0.size = limit / 10 * 9 }
        }
        let result = folder.trim(limit: limit, now: now(), freeing: freeing)
        state.withLock { state in
            state.size = result.bytes
            state.counts.bytes = result.bytes
            state.counts.entries = result.entries
            state.counts.evictions += result.evictions
        }
    }
}

struct DiskState: Sendable {
    /// Whether the folder can be used; `nil` before it was checked.
    var isUsable: Bool?
    /// Changes that are not in the files yet, in their order; applied to every record that is read.
    var edits: [CacheKey: [CacheEdit]] = [:]
    /// How many of a key's changes are being written.
    var writing: [CacheKey: Int] = [:]
    var lag = 0
    var counts = CacheStorageCounts()
    /// Bytes in the folder: measured at the first write, then updated by addition.
    var size: Int64?
    var isTrimming = false
    /// When the disk was full even after room was made: seconds since 1970.
    var fullSince: Int64?
    var lock: OpenFile?

    mutating func failed(_ error: any Error) {
        counts.errors += 1
        counts.problem = "\(error)"
    }

    mutating func takeEdits(_ key: CacheKey) -> [CacheEdit] {
        let edits = edits[key] ?? []
        writing[key] = edits.count
        return edits
    }

    mutating func dropWritten(_ key: CacheKey) {
        let count = writing.removeValue(forKey: key) ?? 0
        let rest = Array((edits[key] ?? []).dropFirst(count))
        edits[key] = rest.isEmpty ? nil : rest
    }
}
