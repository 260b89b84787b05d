import CoreNetKitEssentials
import CoreNetKitSystem
import Synchronization

/// Writes small content into the record, larger content into a file; waits only if the disk lags too far behind.
final class DiskWriter: CacheWriter {
    private struct State: Sendable {
        /// Bytes that are not passed to the file queue yet.
        var buffer = Data()
        var draft: String?
        var count: Int64 = 0
        var isOver = false
    }

    /// State that only the file queue uses.
    private struct Draft: Sendable {
        var file: OpenFile?
        var offset = 0
        var blocks = BlockChecksums()
        var hasFailed = false
    }

    private let storage: DiskStorage
    private let variant: CacheVariant
    private let key: CacheKey
    private let keepFor: Duration
    private let state = Locked(State())
    private let draft = Locked(Draft())

    init(_ storage: DiskStorage, _ variant: CacheVariant, _ key: CacheKey, keepFor: Duration) {
        (self.storage, self.variant, self.key, self.keepFor) = (storage, variant, key, keepFor)
    }

    deinit { giveUp() }

    func write(_ chunk: Data) async -> Bool {
        let (isKept, part) = state.withLock { state -> (Bool, (Data, String)?) in
            guard !state.isOver else { return (false, nil) }
            state.count += Int64(chunk.count)
            state.buffer.append(chunk)
            guard state.count <= storage.entryLimit else { return (false, nil) }
            guard state.buffer.count > CacheVariant.inlineLimit else { return (true, nil) }
            let path = state.draft ?? storage.folder.draft(of: key)
            state.draft = path
            defer { state.buffer = Data() }
            return (true, (state.buffer, path))
        }
        if let part {
            // After a failure there is no reason to wait.
            guard !draft.withLock({ $0.hasFailed }), await storage.reserve(part.0.count) else {
                giveUp()
                return false
            }
            storage.jobQueue.add { self.append(part.0, to: part.1) }
        }
        if !isKept { giveUp() }
        return isKept
    }

    func commit() async -> CacheEdit.Result {
        let (isOpen, rest, path) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.buffer, state.draft)
        }
        guard isOpen else { return .refused }
        guard let path else {
            return await storage.apply(.put(variant.withContent(.inline(rest)), key, keepFor: keepFor))
        }
        guard storage.isAllowed(variant, key) else {
            discard(path)
            return .refused
        }
        storage.jobQueue.add { [self] in
            if !rest.isEmpty { append(rest, to: path, isReserved: false) }
            finish(path)
        }
        return .written
    }

    func discard() async { giveUp() }

    private func giveUp() {
        let path = state.withLock { state in
            defer { (state.isOver, state.buffer) = (true, Data()) }
            return state.isOver ? nil : state.draft
        }
        if let path { discard(path) }
    }

    private func discard(_ path: String) {
        storage.jobQueue.add { [draft, files = storage.folder.files] in
            draft.withLock { draft in
                if let file = draft.file { files.close(file) }
                draft.file = nil
                draft.hasFailed = true
            }
            try? files.remove(path)
        }
    }

    private func append(_ data: Data, to path: String, isReserved: Bool = true) {
        draft.withLock { draft in
            guard !draft.hasFailed, storage.isUsable() else { return draft.hasFailed = true }
            do throws(FileError) {
                let bytes = [UInt8](data)
                let file: OpenFile
                if let open = draft.file { file = open } else { file = try storage.folder.create(path) }
                draft.file = file
                try storage.folder.files.writeAll(file, bytes, at: draft.offset)
                draft.offset += bytes.count
                draft.blocks.add(bytes)
            } catch {
                draft.hasFailed = true
                storage.failed(error)
            }
        }
        if isReserved { storage.release(data.count) }
    }

    private func finish(_ path: String) {
        let files = storage.folder.files
        let (length, trailer, hasFailed) = draft.withLock { draft -> (Int64, [UInt8], Bool) in
            let trailer = draft.blocks.trailer()
            if let file = draft.file {
                if !draft.hasFailed, (try? files.writeAll(file, trailer, at: draft.offset)) == nil {
                    draft.hasFailed = true
                }
                files.close(file)
            }
            draft.file = nil
            return (Int64(draft.offset), trailer, draft.hasFailed)
        }
        let name = RecordFormat.bodyName(checksum: CRC32C.checksum(trailer))
        do throws(FileError) {
            guard !hasFailed, storage.isAllowed(variant, key) else { return try files.remove(path) }
            try files.rename(path, to: storage.folder.path(ofBody: name, key))
        } catch {
            return storage.failed(error)
        }
        storage.grown(by: length)
        storage.enqueue(.put(variant.withContent(.stored(name: name, length: length)), key, keepFor: keepFor), key)
    }
}

/// Runs file operations in the order in which they were added, without blocking the callers.
final class SerialJobQueue: Sendable {
    private let queue = FileQueue("cache.write")
    private let unfinished = Atomic(0)

    func add(_ job: @escaping @Sendable () -> Void) {
        unfinished.add(1, ordering: .relaxed)
        queue.add { [self] in
            job()
            unfinished.subtract(1, ordering: .releasing)
        }
    }

    /// Waits until all jobs are done, including those added meanwhile.
    func idle() async {
        while unfinished.load(ordering: .acquiring) > 0 { await waitForCurrentJobs() }
    }

    /// Waits until the jobs added so far are done, not for later ones.
    func waitForCurrentJobs() async {
        await withCheckedContinuation { continuation in queue.add { continuation.resume() } }
    }
}
