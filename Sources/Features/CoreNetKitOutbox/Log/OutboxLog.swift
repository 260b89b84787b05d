import CoreNetKitSystem

/// The journal of an outbox: checksummed records in numbered segments, of which the last one grows.
///
/// Not thread safe; the engine's actor owns it. The log does not know what an entry means: it keeps each record of kind
/// `entry` until ``compact(keeping:)`` leaves it out.
final class OutboxLog {
    struct Position: Hashable, Sendable {
        let segment: UInt64
        // Compact, because there is one per entry: records begin at multiples of eight, and are at most 1 MiB long.
        private let eighths: UInt32
        private let length: UInt32

        var offset: Int { Int(eighths) * 8 }
        var count: Int { Int(length) }

        init(segment: UInt64, offset: Int, count: Int) {
            (self.segment, eighths, length) = (segment, UInt32(clamping: offset / 8), UInt32(clamping: count))
        }
    }

    struct Segment {
        let head: SegmentHead
        let path: String
        var count: Int
    }

    let files: any FileOperations
    let folder: String
    let segmentLimit: Int
    /// The durability of a sync; `nil` never syncs.
    let durability: SyncDurability?
    /// Milliseconds since 1970, for people who look at the files.
    let now: () -> UInt64
    let makeSalt: () -> UInt64

    var segments: [Segment] = []
    var active: OpenFile?
    /// The length of the active segment that is known to be on disk.
    var syncedCount = 0
    /// Records after that; kept because a failed sync is never retried on the same file.
    var unsynced: [LogRecord] = []
    /// Whether a sync has failed: nothing more is written to the active segment.
    var isPoisoned = false
    var positions = PositionIndex()
    /// Records of kinds that this version does not know and may skip.
    var carried: [LogRecord] = []
    var highestNumber: UInt64 = 0
    var totalCount: Int { segments.reduce(0) { $0 + $1.count } }

    init(
        files: any FileOperations,
        folder: String,
        segmentLimit: Int = 1 << 20,
        durability: SyncDurability? = .barrier,
        now: @escaping () -> UInt64 = { 0 },
        makeSalt: @escaping () -> UInt64 = { UInt64.random(in: .min ... .max) }
    ) {
        (self.files, self.folder, self.segmentLimit, self.durability) = (files, folder, segmentLimit, durability)
        (self.now, self.makeSalt) = (now, makeSalt)
    }

    deinit { if let active { files.close(active) } }

    /// Writes records, all or none; they survive the end of the process, and after ``sync()`` a loss of power.
    func append(_ records: [LogRecord]) throws(OutboxError) {
        let count = records.reduce(0) { $0 + $1.encodedCount }
        do throws(OutboxError) {
            if isPoisoned { try salvage() }
            if let last = segments.last, last.count > SegmentHead.count, last.count + count > segmentLimit {
                try roll()
            }
        } catch {
            // The unsynced records are older than these, of which nothing is written yet.
            guard error.code == .uncertain, let file = error.cause as? FileError else { throw error }
            throw OutboxError(file)
        }
        guard let active, let segment = segments.last else { throw OutboxError(.notReady, "the log is not open") }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for record in records { record.encode(salt: segment.head.salt, into: &bytes) }
        do { try files.writeAll(active, bytes, at: segment.count) } catch {
            // A part may have been written; it has no valid checksum, and the next record overwrites it.
            try? files.truncate(active, to: segment.count)
            throw OutboxError(error)
        }
        note(records)
        unsynced += durability == nil ? [] : records
    }

    /// Waits until everything appended is on disk.
    ///
    /// When neither this segment nor a new one can be synced, the records are kept, and the next call tries again.
    func sync() throws(OutboxError) {
        guard let durability, !unsynced.isEmpty, let active else { return }
        if isPoisoned { return try salvage() }
        do { try files.sync(active, durability) } catch {
            isPoisoned = true
            try salvage()
            return
        }
        unsynced.removeAll(keepingCapacity: true)
        syncedCount = segments.last?.count ?? 0
        try checkFolder()
    }

    func entry(_ number: UInt64) throws(OutboxError) -> LogRecord {
        guard let position = positions[number],
            let segment = segments.first(where: { $0.head.segment == position.segment })
        else { throw .damagedRequest }
        let bytes = try mappingFiles { () throws(FileError) in
            if position.segment == segments.last?.head.segment, let active {
                return try files.readAll(active, at: position.offset, count: position.count)
            }
            let file = try files.open(segment.path, .read)
            defer { files.close(file) }
            return try files.readAll(file, at: position.offset, count: position.count)
        }
        let record = bytes.withUnsafeBytes { LogRecord.decode($0, at: 0, salt: segment.head.salt)?.0 }
        guard let record, record.kind == .entry, record.number == number else { throw .damagedRequest }
        return record
    }

    func roll() throws(OutboxError) {
        try sync()
        try begin(segment: (segments.last?.head.segment ?? 0) + 1)
    }

    func note(_ records: [LogRecord]) {
        guard var segment = segments.popLast() else { return }
        for record in records {
            let count = record.encodedCount
            highestNumber = max(highestNumber, record.number)
            if record.kind == .entry {
                let number = segment.head.segment
                positions[record.number] = Position(segment: number, offset: segment.count, count: count)
            }
            segment.count += count
        }
        segments.append(segment)
    }

    /// Creates a segment; its head and its name are on disk before any later write.
    func begin(segment number: UInt64, _ records: [LogRecord] = []) throws(OutboxError) {
        let head = SegmentHead(segment: number, made: now(), salt: makeSalt())
        let path = path(ofSegment: number)
        var bytes = head.bytes
        for record in records { record.encode(salt: head.salt, into: &bytes) }
        let file = try mappingFiles { () throws(FileError) in try files.createNew(path) }
        do {
            try files.writeAll(file, bytes, at: 0)
            if let durability {
                try files.sync(file, durability)
                try files.syncFolder(folder)
            }
        } catch {
            files.close(file)
            try? files.remove(path)
            throw OutboxError(error)
        }
        if let active { files.close(active) }
        active = file
        segments.append(Segment(head: head, path: path, count: SegmentHead.count))
        note(records)
        syncedCount = segments.last?.count ?? 0
        unsynced = []
        isPoisoned = false
    }

    func path(ofSegment number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return "\(folder)/journal-\(String(repeating: "0", count: 16 - digits.count))\(digits).log"
    }

    /// After a failed sync, writes the records that may not be on disk to a new segment, never to the same file again.
    ///
    /// The system may have dropped the pages, and would report success the next time.
    private func salvage() throws(OutboxError) {
        let records = unsynced
        let (poisoned, count) = (active, syncedCount)
        active = nil
        do throws(OutboxError) { try begin(segment: (segments.last?.head.segment ?? 0) + 1, records) } catch {
            active = poisoned
            let message = "written, but not known to be on the disk (\(error.message)); cancel it by its id"
            throw OutboxError(.uncertain, message, cause: error.cause)
        }
        guard let poisoned else { return }
        // Duplicates are harmless: entries have ids, and of two equal marks the first counts.
        try? files.truncate(poisoned, to: count)
        files.close(poisoned)
        if segments.count > 1 { segments[segments.count - 2].count = count }
    }

    /// In a removed folder, writes succeed on files without names, which no process can open again.
    private func checkFolder() throws(OutboxError) {
        guard let active else { return }
        let status = try mappingFiles { () throws(FileError) in try files.status(of: active) }
        if status.linkCount == 0 { throw OutboxError(.notReady, "the folder was removed while it was in use") }
    }
}
