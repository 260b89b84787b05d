import CoreNetKitSystem

import CoreNetKitEssentials

/// Writes content behind its reader's back: small content into the record, larger content into a file of its own.
///
/// A disk that is more than ``lagLimit`` bytes behind loses the entry; the reader never waits for it.
final class DiskWriter: CacheWriter {
    static let lagLimit = 1 << 20

    private struct State: Sendable {
        /// What is not given to the file work yet.
        var buffer = Data()
        var draft: String?
        var count: Int64 = 0
        var lag = 0
        var isOver = false
    }

    /// What only the file work touches.
    private struct Draft: Sendable {
        var file: OpenFile?
        var offset = 0
        var sum = CRC32C()
        var hasFailed = false
    }

    private let storage: DiskStorage
    private let key: CacheKey
    private let epoch: UInt64
    private let state = Locked(State())
    private let draft = Locked(Draft())

    init(_ storage: DiskStorage, _ key: CacheKey, epoch: UInt64) {
        (self.storage, self.key, self.epoch) = (storage, key, epoch)
    }

    deinit { giveUp() }

    func write(_ chunk: Data) async -> Bool {
        let (isKept, part) = state.withLock { state -> (Bool, (Data, String)?) in
            guard !state.isOver else { return (false, nil) }
            state.count += Int64(chunk.count)
            state.buffer.append(chunk)
            guard state.count <= storage.entryLimit else { return (false, nil) }
            guard state.buffer.count > DiskStorage.inlineLimit else { return (true, nil) }
            guard state.lag <= Self.lagLimit else { return (false, nil) }
            let path = state.draft ?? draftPath()
            state.draft = path
            defer { state.buffer = Data() }
            state.lag += state.buffer.count
            return (true, (state.buffer, path))
        }
        if let part { storage.line.add { self.append(part.0, to: part.1) } }
        if !isKept { giveUp() }
        return isKept
    }

    func commit(_ make: @escaping @Sendable (CacheVariant.Content) -> CacheVariant) async -> Bool {
        let (isOpen, rest, path) = state.withLock { state in
            defer { state.isOver = true }
            return (!state.isOver, state.buffer, state.draft)
        }
        guard isOpen, storage.epoch(of: key.partition) == epoch else { return false }
        guard let path else {
            return storage.enqueue(key, bytes: rest.count, of: epoch) { $0.put(make(.inline(rest))) }
        }
        storage.line.add { [self] in
            if !rest.isEmpty { append(rest, to: path) }
            finish(path, make)
        }
        return true
    }

    func discard() async { giveUp() }

    private func giveUp() {
        let path = state.withLock { state in
            defer { (state.isOver, state.buffer) = (true, Data()) }
            return state.isOver ? nil : state.draft
        }
        guard let path else { return }
        storage.line.add { [draft, files = storage.records.folder.files] in
            draft.withLock { draft in
                if let file = draft.file { files.close(file) }
                draft.file = nil
                draft.hasFailed = true
            }
            try? files.remove(path)
        }
    }

    private func draftPath() -> String {
        "\(storage.records.folder.path(of: key)).t\(BodyName.hex(UInt64.random(in: .min ... .max), 16))"
    }

    private func append(_ data: Data, to path: String) {
        draft.withLock { draft in
            guard !draft.hasFailed, storage.isUsable() else { return draft.hasFailed = true }
            do throws(FileError) {
                let bytes = [UInt8](data)
                let file: OpenFile
                if let open = draft.file { file = open } else { file = try storage.records.create(path) }
                draft.file = file
                try storage.records.folder.files.writeAll(file, bytes, at: draft.offset)
                draft.offset += bytes.count
                draft.sum.update(bytes)
            } catch {
                draft.hasFailed = true
                storage.failed(error)
            }
        }
        state.withLock { $0.lag -= data.count }
    }

    private func finish(_ path: String, _ make: @escaping @Sendable (CacheVariant.Content) -> CacheVariant) {
        let files = storage.records.folder.files
        let (length, checksum, hasFailed) = draft.withLock { draft in
            if let file = draft.file { files.close(file) }
            draft.file = nil
            return (Int64(draft.offset), draft.sum.value, draft.hasFailed)
        }
        let name = BodyName(random: UInt64.random(in: .min ... .max), checksum: checksum).text
        do throws(FileError) {
            guard !hasFailed, storage.epoch(of: key.partition) == epoch else {
                return try files.remove(path)
            }
            try files.rename(path, to: storage.records.path(ofBody: name, key))
        } catch {
            return storage.failed(error)
        }
        storage.grown(by: length)
        storage.enqueue(key, of: epoch) { $0.put(make(.stored(name: name, length: length))) }
    }
}
