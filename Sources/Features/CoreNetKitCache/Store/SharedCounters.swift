package import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The counters of a cache's storages; with a file, shared by all processes that use its folder.
///
/// The file has the table and a number that changes with every mark: a look-up reads that number, and the table only if it
/// has changed. Counters are random numbers, which need no lock; if the file is damaged, lost or recreated, stored responses
/// become misses, and nothing worse. A second file, written under a lock, has the recent marks of single URLs; without it
/// a mark concerns all URLs that share its counter.
package final class SharedCounters: Sendable {
    /// The path of the file, and how to create its folder.
    package struct Location: Sendable {
        package let path: String
        package let files: any FileOperations
        package let prepare: @Sendable () -> Bool
        var marks: String { "\(path.folderPath)/marks" }

        package init(_ path: String, _ files: any FileOperations, prepare: @escaping @Sendable () -> Bool) {
            (self.path, self.files, self.prepare) = (path, files, prepare)
        }
    }

    private struct State: Sendable {
        var table = CacheCounterTable()
        /// The number that changes with every mark.
        var sequence: UInt64 = 0
        var file: OpenFile?
        var marks: OpenFile?
        /// Whether no file could be opened; only a mark tries again.
        var isAlone = false
    }

    private let state = Locked(State())
    private let location: Location?

    package init(_ location: Location? = nil) { self.location = location }

    deinit {
        guard let location else { return }
        for file in state.withLock({ [$0.file, $0.marks] }) { if let file { location.files.close(file) } }
    }

    package func counters(of key: CacheKey) -> CacheCounters {
        state.withLock { state in
            if location != nil { refresh(&state) }
            return state.table.counters(of: key)
        }
    }

    package func numbers(at slots: [Int]) -> [UInt64] {
        state.withLock { state in
            if location != nil { refresh(&state) }
            return state.table.numbers(at: slots)
        }
    }

    /// Changes counters; returns whether the change is visible to every process.
    package func mark(_ mark: CacheMark) -> Bool {
        state.withLock { state in
            open(&state)
            guard let location, let file = state.file else {
                state.table.mark(mark)
                return isExclusive
            }
            guard let marks = lock(&state, file, location) else {
                state.table.change(mark.slots)
                return write(mark.slots, of: state) != nil
            }
            defer { location.files.unlock(marks) }
            let words = state.table.exactly(mark)
            return confirm(&state, write(mark.slots, words, of: state))
        }
    }

    package func end(_ partition: String?) -> Bool {
        state.withLock { state in
            open(&state)
            guard let location, let file = state.file else {
                state.table.end(partition)
                return isExclusive
            }
            let marks = lock(&state, file, location)
            defer { if let marks { location.files.unlock(marks) } }
            state.table.end(partition)
            let slots = partition.map { [CacheKey.slot(ofPartition: $0)] } ?? Array(0..<CacheCounterTable.count)
            let sequence = write(slots, of: state)
            return marks == nil ? sequence != nil : confirm(&state, sequence)
        }
    }

    /// Adopts the number just written: under the lock, the file equals this table and need not be read.
    private func confirm(_ state: inout State, _ sequence: UInt64?) -> Bool {
        if let sequence { state.sequence = sequence }
        return sequence != nil
    }

    package func reopen() { state.withLock { open(&$0) } }

    /// Whether no other process shares the counters because there is no folder.
    private var isExclusive: Bool { location.map { !$0.prepare() } ?? true }

    /// Reads the table if another process has marked something.
    private func refresh(_ state: inout State) {
        guard let location else { return }
        if state.file == nil, !state.isAlone { open(&state) }
        guard let file = state.file else { return }
        if let sequence = Self.numbers(location.files, file, at: 1, count: 1)?.first, sequence == state.sequence {
            return
        }
        guard load(&state, file, location) else {
            location.files.close(file)
            state.file = nil
            // An unreadable file may have contained any change.
            state.table = CacheCounterTable()
            return open(&state)
        }
    }

    /// Opens the file, or creates another one if it was removed.
    private func open(_ state: inout State) {
        guard let location else { return }
        if let file = state.file {
            guard (try? location.files.status(of: file))?.names == 0 else { return }
            location.files.close(file)
            state.file = nil
        }
        for _ in 0..<2 where state.file == nil && location.prepare() {
            if let file = try? location.files.open(location.path, .update) {
                if load(&state, file, location) {
                    state.file = file
                    break
                }
                location.files.close(file)
                try? location.files.remove(location.path)
            }
            create(location.path, [Self.magic, .random(in: .min ... .max)] + state.table.numbers, location)
        }
        state.isAlone = state.file == nil
    }

    /// Creates a complete file before it gets its name; of two concurrent creations the first one wins.
    private func create(_ path: String, _ numbers: [UInt64], _ location: Location) {
        let draft = "\(path).t\(UInt64.random(in: .min ... .max))"
        guard let file = try? location.files.open(draft, .create) else { return }
        defer { try? location.files.remove(draft) }
        defer { location.files.close(file) }
        guard (try? Self.write(location.files, file, numbers, at: 0)) != nil else { return }
        try? location.files.link(draft, as: path)
    }

    private func load(_ state: inout State, _ file: OpenFile, _ location: Location) -> Bool {
        let count = CacheCounterTable.count + 2
        guard let all = Self.numbers(location.files, file, at: 0, count: count), all[0] == Self.magic else {
            return false
        }
        state.sequence = all[1]
        state.table = CacheCounterTable(Array(all[2...]), loadMarks(&state, location))
        return true
    }

    /// Writes counters, the words of the recent marks, and then the number that announces them, which is returned.
    private func write(_ slots: [Int], _ words: [Int] = [], of state: State) -> UInt64? {
        guard let location, let file = state.file else { return nil }
        do throws(FileError) {
            if slots.count == CacheCounterTable.count {
                try Self.write(location.files, file, state.table.numbers, at: 2)
            } else {
                for slot in slots { try Self.write(location.files, file, [state.table.numbers[slot]], at: slot + 2) }
            }
            // Corrections are written last: after a failure more is validated, not less.
            if let marks = state.marks, let numbers = state.table.marks {
                do throws(FileError) {
                    for word in words { try Self.write(location.files, marks, [numbers[word]], at: word + 1) }
                } catch {}
            }
            let sequence = UInt64.random(in: .min ... .max)
            try Self.write(location.files, file, [sequence], at: 1)
            return sequence
        } catch {
            return nil
        }
    }

    // MARK: - The last marks

    /// Locks the file of recent marks, and reads the marks of other processes; `nil` if there is none, or it stays locked.
    private func lock(_ state: inout State, _ file: OpenFile, _ location: Location) -> OpenFile? {
        for _ in 0..<2 {
            if openMarks(&state, location) == nil { create(location.marks, [Self.magic] + RecentMarks.none, location) }
            guard let marks = openMarks(&state, location), location.files.lock(marks, within: 20) else { return nil }
            let sequence = Self.numbers(location.files, file, at: 1, count: 1)?.first
            if sequence == state.sequence, state.table.marks != nil { return marks }
            if load(&state, file, location), state.table.marks != nil { return marks }
            // Damaged: replace it.
            location.files.close(marks)
            state.marks = nil
            try? location.files.remove(location.marks)
        }
        return nil
    }

    /// The file of recent marks, reopened if it was removed.
    private func openMarks(_ state: inout State, _ location: Location) -> OpenFile? {
        if let marks = state.marks {
            if let status = try? location.files.status(of: marks), status.names > 0 { return marks }
            location.files.close(marks)
        }
        state.table.marks = nil
        state.marks = try? location.files.open(location.marks, .update)
        return state.marks
    }

    private func loadMarks(_ state: inout State, _ location: Location) -> RecentMarks? {
        guard let file = openMarks(&state, location) else { return nil }
        var marks = state.table.marks ?? RecentMarks()
        // Released first, so that the change does not copy it.
        state.table.marks = nil
        guard Self.numbers(location.files, file, at: 0, count: 1) == [Self.magic] else { return nil }
        let isWhole = marks.update { words in
            Self.numbers(location.files, file, at: words.lowerBound + 1, count: words.count)
        }
        return isWhole ? marks : nil
    }

    private static let magic = UInt64(0x3173_6B72_614D_4B43)

    private static func write(_ files: any FileOperations, _ file: OpenFile, _ numbers: [UInt64], at index: Int)
        throws(FileError)
    {
        var out = RecordWriter()
        for number in numbers { out.number64(number) }
        try files.writeAll(file, out.bytes, at: index * 8)
    }

    private static func numbers(_ files: any FileOperations, _ file: OpenFile, at index: Int, count: Int) -> [UInt64]? {
        guard let bytes = try? files.readAll(file, at: index * 8, count: count * 8), bytes.count == count * 8 else {
            return nil
        }
        return bytes.withUnsafeBytes { bytes in
            (0..<count).map { UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)) }
        }
    }
}

extension FileOperations {
    /// Takes a file's lock; polls on a file queue while another process has it, because the system has no lock with a
    /// timeout.
    func lock(_ file: OpenFile, within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            guard let isLocked = try? tryLock(file) else { return false }
            if isLocked { return true }
            usleep(1000)
        }
        return false
    }
}
