package import CoreNetKitSystem

/// The counters of the storages of one cache; with a file, of all processes that use its folder.
///
/// The file has the table and a number that changes with every mark: whoever looks reads that number, and the table where
/// it is another one. Its numbers are random ones, so nobody needs a lock to write, and a file that is damaged, lost or
/// made anew makes what is stored a miss, and nothing worse.
package final class SharedCounters: Sendable {
    /// Where the file is, and how to make what it lies in.
    package struct Place: Sendable {
        package let path: String
        package let files: any FileOperations
        package let prepare: @Sendable () -> Bool

        package init(_ path: String, _ files: any FileOperations, prepare: @escaping @Sendable () -> Bool) {
            (self.path, self.files, self.prepare) = (path, files, prepare)
        }
    }

    private struct State: Sendable {
        var table = CacheCounterTable()
        /// What changes with every mark.
        var sequence: UInt64 = 0
        var file: OpenFile?
        /// Whether there was no file to be had; only a mark looks for one again.
        var isAlone = false
    }

    private let state = Locked(State())
    private let place: Place?

    /// Counts in this process, or in a file.
    package init(_ place: Place? = nil) { self.place = place }

    deinit {
        if let place, let file = state.withLock({ $0.file }) { place.files.close(file) }
    }

    package func counters(of key: CacheKey) -> CacheCounters {
        state.withLock { state in
            if place != nil { refresh(&state) }
            return state.table.counters(of: key)
        }
    }

    package func numbers(at slots: [Int]) -> [UInt64] {
        state.withLock { state in
            if place != nil { refresh(&state) }
            return state.table.numbers(at: slots)
        }
    }

    /// Changes counters.
    ///
    /// - Returns: Whether every process knows.
    package func mark(_ mark: CacheMark) -> Bool {
        state.withLock { state in
            open(&state)
            state.table.mark(mark)
            return write(mark.slots, of: &state)
        }
    }

    /// Changes the counter of a partition, or all.
    package func end(_ partition: String?) -> Bool {
        state.withLock { state in
            open(&state)
            state.table.end(partition)
            let slots = partition.map { [CacheKey.slot(ofPartition: $0)] } ?? Array(0..<CacheCounterTable.count)
            return write(slots, of: &state)
        }
    }

    /// Looks for the file again, where it was removed.
    package func reopen() { state.withLock { open(&$0) } }

    /// Reads the table where somebody has marked something.
    private func refresh(_ state: inout State) {
        guard let place else { return }
        if state.file == nil, !state.isAlone { open(&state) }
        guard let file = state.file else { return }
        if let sequence = Self.numbers(place.files, file, at: 1, count: 1)?.first, sequence == state.sequence { return }
        guard load(&state, file, place) else {
            place.files.close(file)
            state.file = nil
            // A file that cannot be read has been changed for all that anybody knows.
            state.table = CacheCounterTable()
            return open(&state)
        }
    }

    /// Opens the file, or another one where it was removed.
    private func open(_ state: inout State) {
        guard let place else { return }
        if let file = state.file {
            guard (try? place.files.status(of: file))?.names == 0 else { return }
            place.files.close(file)
            state.file = nil
        }
        for _ in 0..<2 where state.file == nil && place.prepare() {
            if let file = try? place.files.open(place.path, .update) {
                if load(&state, file, place) {
                    state.file = file
                    break
                }
                place.files.close(file)
                try? place.files.remove(place.path)
            }
            create(state.table, place)
        }
        state.isAlone = state.file == nil
    }

    /// Makes the file whole before it has its name; of two that do so at once the first one stays.
    private func create(_ table: CacheCounterTable, _ place: Place) {
        let draft = "\(place.path).t\(UInt64.random(in: .min ... .max))"
        guard let file = try? place.files.open(draft, .create) else { return }
        defer { try? place.files.remove(draft) }
        defer { place.files.close(file) }
        var out = RecordWriter()
        for number in [Self.magic, UInt64.random(in: .min ... .max)] + table.numbers { out.wide(number) }
        guard (try? place.files.writeAll(file, out.bytes, at: 0)) != nil else { return }
        try? place.files.link(draft, as: place.path)
    }

    private func load(_ state: inout State, _ file: OpenFile, _ place: Place) -> Bool {
        let count = CacheCounterTable.count + 2
        guard let all = Self.numbers(place.files, file, at: 0, count: count), all[0] == Self.magic else { return false }
        state.sequence = all[1]
        state.table = CacheCounterTable(Array(all[2...]))
        return true
    }

    /// Writes counters, and behind them the number that says so.
    private func write(_ slots: [Int], of state: inout State) -> Bool {
        guard let place else { return true }
        // Where there is no folder nobody else looks into it.
        guard let file = state.file else { return !place.prepare() }
        do throws(FileError) {
            if slots.count == CacheCounterTable.count {
                try Self.write(place.files, file, state.table.numbers, at: 2)
            } else {
                for slot in slots { try Self.write(place.files, file, [state.table.numbers[slot]], at: slot + 2) }
            }
            let sequence = UInt64.random(in: .min ... .max)
            try Self.write(place.files, file, [sequence], at: 1)
            // What others have marked meanwhile is read with the next look.
            return true
        } catch {
            return false
        }
    }

    private static let magic = UInt64(0x3173_6B72_614D_4B43)

    private static func write(_ files: any FileOperations, _ file: OpenFile, _ numbers: [UInt64], at index: Int)
        throws(FileError)
    {
        var out = RecordWriter()
        for number in numbers { out.wide(number) }
        try files.writeAll(file, out.bytes, at: index * 8)
    }

    private static func numbers(_ files: any FileOperations, _ file: OpenFile, at index: Int, count: Int) -> [UInt64]? {
        guard let bytes = try? files.readAll(file, at: index * 8, count: count * 8), bytes.count == count * 8 else {
            return nil
        }
        return (0..<count).map { place in
            (0..<8).reduce(0) { $0 | UInt64(bytes[place * 8 + $1]) << (8 * UInt64($1)) }
        }
    }
}
