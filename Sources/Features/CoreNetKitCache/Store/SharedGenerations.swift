package import CoreNetKitSystem

/// The generations of a cache's storages; with a file, shared by all processes that use its folder.
///
/// The file has the table and its revision, a random number that every mark replaces: a look-up reads the revision, and
/// the table only if it has changed. Generations are random numbers, which need no lock; if the file is damaged, lost
/// or recreated, stored responses become misses, and nothing worse. A second file, written under a lock, has the recent
/// marks of single URLs; without it a mark concerns all URLs that share its generation.
package final class SharedGenerations: Sendable {
    private struct State: Sendable {
        var table = CacheGenerationTable()
        var revision: UInt64 = 0
        var file: OpenFile?
        var marks: OpenFile?
        /// Whether no file could be opened; only a mark tries again.
        var isDetached = false
    }

    private let state = Locked(State())
    /// The path of the file; `nil` for generations of this process alone.
    private let path: String?
    private let files: any FileOperations
    private var marksPath: String { "\((path ?? "").folderPath)/marks" }
    /// Creates the folder; returns whether it can be used.
    private let prepare: @Sendable () -> Bool

    package init(
        _ path: String? = nil,
        _ files: any FileOperations = PosixFiles(),
        prepare: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.path, self.files, self.prepare) = (path, files, prepare)
    }

    deinit { for file in state.withLock({ [$0.file, $0.marks] }) { if let file { files.close(file) } } }

    package func generations(of key: CacheKey) -> CacheGenerations {
        state.withLock { state in
            if path != nil { refresh(&state) }
            return state.table.generations(of: key)
        }
    }

    package func generations(at slots: [Int]) -> [UInt64] {
        state.withLock { state in
            if path != nil { refresh(&state) }
            return state.table.numbers(at: slots)
        }
    }

    /// Changes generations; returns whether the change is visible to every process.
    package func invalidate(_ invalidation: CacheInvalidation) -> Bool {
        change(invalidation.slots) { table, isExact in
            if isExact { return table.invalidateExactly(invalidation) }
            table.change(invalidation.slots)
            return []
        }
    }

    package func invalidate(partition: String?) -> Bool {
        let slots = partition.map { [CacheKey.slot(ofPartition: $0)] } ?? Array(0..<CacheGenerationTable.count)
        return change(slots) { table, _ in
            table.invalidate(partition: partition)
            return []
        }
    }

    /// Changes the table and the file; the closure may change recent marks, and returns the indices of their words.
    private func change(_ slots: [Int], _ change: (inout CacheGenerationTable, _ isExact: Bool) -> [Int]) -> Bool {
        state.withLock { state in
            open(&state)
            guard let file = state.file else {
                _ = change(&state.table, true)
                return isExclusive
            }
            let marks = lock(&state, file)
            defer { if let marks { files.unlock(marks) } }
            let wordIndices = change(&state.table, marks != nil)
            guard let revision = write(slots, wordIndices, of: state) else { return false }
            // Under the lock, the file equals this table and need not be read.
            if marks != nil { state.revision = revision }
            return true
        }
    }

    package func reopen() { state.withLock { open(&$0) } }

    /// Whether no other process shares the generations because there is no folder.
    private var isExclusive: Bool { path == nil || !prepare() }

    /// Reads the table if another process has marked something.
    private func refresh(_ state: inout State) {
        if state.file == nil, !state.isDetached { open(&state) }
        guard let file = state.file else { return }
        if let revision = numbers(file, at: 1, count: 1)?.first, revision == state.revision { return }
        guard load(&state, file) else {
            files.close(file)
            state.file = nil
            // An unreadable file may have contained any change.
            state.table = CacheGenerationTable()
            return open(&state)
        }
    }

    /// Opens the file, or creates another one if it was removed.
    private func open(_ state: inout State) {
        guard let path else { return }
        if let file = state.file {
            guard (try? files.status(of: file))?.linkCount == 0 else { return }
            files.close(file)
            state.file = nil
        }
        for _ in 0..<2 where state.file == nil && prepare() {
            if let file = try? files.open(path, .update) {
                if load(&state, file) {
                    state.file = file
                    break
                }
                files.close(file)
                try? files.remove(path)
            }
            create(path, [Self.magic, .random(in: .min ... .max)] + state.table.numbers)
        }
        state.isDetached = state.file == nil
    }

    /// Creates a complete file before it gets its name; of two concurrent creations the first one wins.
    private func create(_ path: String, _ numbers: [UInt64]) {
        let draft = "\(path).t\(UInt64.random(in: .min ... .max))"
        guard let file = try? files.open(draft, .create) else { return }
        defer { try? files.remove(draft) }
        defer { files.close(file) }
        guard (try? write(file, numbers, at: 0)) != nil else { return }
        try? files.link(draft, as: path)
    }

    private func load(_ state: inout State, _ file: OpenFile) -> Bool {
        let count = CacheGenerationTable.count + 2
        guard let all = numbers(file, at: 0, count: count), all[0] == Self.magic else { return false }
        state.revision = all[1]
        state.table = CacheGenerationTable(Array(all[2...]), loadMarks(&state))
        return true
    }

    /// Writes generations, words of the recent marks, and then the revision that announces them, which is returned.
    private func write(_ slots: [Int], _ wordIndices: [Int] = [], of state: State) -> UInt64? {
        guard let file = state.file else { return nil }
        do throws(FileError) {
            if slots.count == CacheGenerationTable.count {
                try write(file, state.table.numbers, at: 2)
            } else {
                for slot in slots { try write(file, [state.table.numbers[slot]], at: slot + 2) }
            }
            // Corrections are written last: after a failure more is validated, not less.
            if let marks = state.marks, let numbers = state.table.marks {
                do throws(FileError) {
                    for index in wordIndices { try write(marks, [numbers[index]], at: index + 1) }
                } catch {}
            }
            let revision = UInt64.random(in: .min ... .max)
            try write(file, [revision], at: 1)
            return revision
        } catch {
            return nil
        }
    }

    // MARK: - The last marks

    /// Locks the file of recent marks, and reads those of other processes; `nil` if there is none, or it stays locked.
    private func lock(_ state: inout State, _ file: OpenFile) -> OpenFile? {
        for _ in 0..<2 {
            if openMarks(&state) == nil { create(marksPath, [Self.magic] + RecentMarks.none) }
            guard let marks = openMarks(&state),
                (try? files.lock(marks, within: .milliseconds(20))) == true
            else { return nil }
            let revision = numbers(file, at: 1, count: 1)?.first
            if revision == state.revision, state.table.marks != nil { return marks }
            if load(&state, file), state.table.marks != nil { return marks }
            // Damaged: replace it.
            files.close(marks)
            state.marks = nil
            try? files.remove(marksPath)
        }
        return nil
    }

    /// The file of recent marks, reopened if it was removed.
    private func openMarks(_ state: inout State) -> OpenFile? {
        if let marks = state.marks {
            if let status = try? files.status(of: marks), status.linkCount > 0 { return marks }
            files.close(marks)
        }
        state.table.marks = nil
        state.marks = try? files.open(marksPath, .update)
        return state.marks
    }

    private func loadMarks(_ state: inout State) -> RecentMarks? {
        guard let file = openMarks(&state) else { return nil }
        var marks = state.table.marks ?? RecentMarks()
        // Released first, so that the change does not copy it.
        state.table.marks = nil
        guard numbers(file, at: 0, count: 1) == [Self.magic] else { return nil }
        let isWhole = marks.update { words in numbers(file, at: words.lowerBound + 1, count: words.count) }
        return isWhole ? marks : nil
    }

    private static let magic = UInt64(0x3173_6B72_614D_4B43)

    private func write(_ file: OpenFile, _ numbers: [UInt64], at index: Int) throws(FileError) {
        var out = RecordWriter()
        for number in numbers { out.append(number) }
        try files.writeAll(file, out.bytes, at: index * 8)
    }

    private func numbers(_ file: OpenFile, at index: Int, count: Int) -> [UInt64]? {
        guard let bytes = try? files.readAll(file, at: index * 8, count: count * 8), bytes.count == count * 8 else {
            return nil
        }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
    }
}
