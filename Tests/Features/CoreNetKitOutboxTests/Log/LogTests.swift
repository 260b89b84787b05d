import FileModel
import TestSupport

@testable import CoreNetKitOutbox

@Suite("The log", .paced)
struct LogTests {
    private let files = ModelFiles()

    private func log(_ files: ModelFiles, segmentLimit: Int = 1 << 20) -> OutboxLog {
        if (try? files.makeFolder("/log")) != nil { try? files.syncFolder("/") }
        return OutboxLog(files: files, folder: "/log", segmentLimit: segmentLimit, makeSalt: { 42 })
    }

    private func opened(_ files: ModelFiles, segmentLimit: Int = 1 << 20) throws -> OutboxLog {
        let log = log(files, segmentLimit: segmentLimit)
        _ = try log.open { _ in }
        return log
    }

    /// A log with records that are on disk.
    private func written(_ records: [LogRecord], segmentLimit: Int = 1 << 20) throws -> OutboxLog {
        let log = try opened(files, segmentLimit: segmentLimit)
        for record in records { try log.append([record]) }
        try log.sync()
        return log
    }

    private func read(_ files: ModelFiles) throws -> ([LogRecord], LogRecovery) {
        var records: [LogRecord] = []
        let recovery = try log(files).open { records.append($0) }
        return (records, recovery)
    }

    private func entry(_ number: UInt64, count: Int = 10) -> LogRecord {
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ Int(number)) }
        return LogRecord(kind: .entry, number: number, payload: payload)
    }

    @Test("returns what was appended, in order, across segments")
    func roundTrip() throws {
        let records = (1...20).map { entry($0, count: Int($0) * 3) }
        let log = try written(records, segmentLimit: 300)
        #expect(log.segments.count > 3)
        #expect(try read(files).0 == records)
        #expect(try log.entry(7) == records[6])
    }

    @Test("Cutting the last file at any byte loses only what was being written")
    func cut() throws {
        let log = try opened(files)
        let records = (1...8).map { entry($0, count: Int($0)) }
        var ends: [Int] = []
        for record in records {
            // Without its padding it is complete.
            ends.append(log.totalCount + LogRecord.headCount + record.payload.count + 4)
            try log.append([record])
        }
        try log.sync()
        let path = log.path(ofSegment: 1)
        let whole = try #require(files.bytes(of: path))
        for count in SegmentHead.count...whole.count {
            let copy = files.afterKill()
            copy.change(path) { $0 = Array(whole[..<count]) }
            let expected = zip(records, ends).prefix { $0.1 <= count }.map(\.0)
            let (found, recovery) = try read(copy)
            #expect(found == expected && recovery.damagedPlaces == 0)
            let again = try opened(copy)
            try again.append([entry(99)])
            #expect(try read(copy).0 == expected + [entry(99)])
        }
    }

    @Test("Zeroing the last file from any byte on loses only what was being written")
    func zeros() throws {
        let records = (1...5).map { entry($0) }
        let log = try written(records)
        let path = log.path(ofSegment: 1)
        let whole = try #require(files.bytes(of: path))
        for start in SegmentHead.count..<whole.count {
            let copy = files.afterKill()
            copy.change(path) { bytes in for index in start..<bytes.count { bytes[index] = 0 } }
            let count = (start - SegmentHead.count) / records[0].encodedCount
            let (read, recovery) = try read(copy)
            // A crash that leaves zeros is no damage; one within a checksum cannot be told from it.
            let place = (start - SegmentHead.count) % records[0].encodedCount - LogRecord.headCount - 10
            #expect(recovery.damagedPlaces == 0 || (1...3).contains(place), "from \(start)")
            #expect(read == Array(records[..<count]) || read == Array(records[..<min(count + 1, 5)]))
        }
    }

    @Test("flipping any one bit costs at most the record it is in, and that is reported")
    func flips() throws {
        let records = (1...6).map { entry($0) }
        let log = try written(records, segmentLimit: 250)
        for segment in log.segments {
            let count = try #require(files.bytes(of: segment.path)).count
            // Each bit in `.ci/proofs outbox-kills`, else every seventh one.
            for bit in stride(from: 0, to: count * 8, by: TestRounds.given == nil ? 7 : 1) {
                let copy = files.afterKill()
                copy.change(segment.path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
                let (read, recovery) = try read(copy)
                #expect(Set(read).isSubset(of: records))
                #expect(read.count >= records.count - 1)
                // The last record of the log too: an unfinished write looks different.
                if read.count < records.count { #expect(recovery.damagedPlaces > 0, "bit \(bit) of \(segment.path)") }
            }
        }
    }

    @Test("a number without a successor counts as damage", arguments: [LogRecord.highestNumber + 1, .max])
    func highest(number: UInt64) throws {
        _ = try written([entry(1), LogRecord(kind: .entry, number: number), entry(2)])
        let (records, recovery) = try read(files.afterKill())
        #expect(records == [entry(1), entry(2)])
        #expect(recovery.damagedPlaces == 1)
        #expect(try SegmentHead.read(SegmentHead(segment: number, made: 0, salt: 42).bytes, of: "") == nil)
    }

    @Test("damage in the middle is kept in the quarantine")
    func quarantine() throws {
        let log = try opened(files)
        try log.append((1...3).map { entry($0) })
        files.change(log.path(ofSegment: 1)) { $0[SegmentHead.count + 60] ^= 0xFF }
        let (records, recovery) = try read(files)
        #expect(records.map(\.number) == [1, 3])
        #expect(recovery.damagedPlaces == 1)
        #expect(try files.list("/log/quarantine").count == 1)
    }

    @Test("a record inside a body is not taken for one of the log's own")
    func forged() throws {
        let log = try opened(files)
        var forged: [UInt8] = [0, 0, 0, 0]
        entry(666).encode(salt: 0, into: &forged)
        let carrier = LogRecord(kind: .entry, number: 1, payload: forged)
        try log.append([carrier, entry(2)])
        files.change(log.path(ofSegment: 1)) { $0[SegmentHead.count + 9] ^= 1 }
        #expect(try read(files).0.map(\.number) == [2])
    }

    @Test("a newer format and an unknown record are refused, a skippable one is carried over")
    func versions() throws {
        let log = try opened(files)
        let unknown = LogRecord(kind: .init(rawValue: 200), flags: LogRecord.skippable, number: 1)
        try log.append([unknown, entry(2)])
        let again = try opened(files)
        #expect(again.carried == [unknown])
        try again.compact(keeping: [(2, [])])
        let third = try opened(files)
        #expect(third.carried == [unknown])
        try third.append([LogRecord(kind: .init(rawValue: 200), number: 3)])
        #expect(throws: OutboxError.self) { _ = try read(files) }

        let newer = ModelFiles()
        let other = try opened(newer)
        newer.setFormat(2, ofSegment: other.path(ofSegment: 1))
        let before = newer.calls
        #expect(throws: OutboxError.self) { _ = try read(newer) }
        #expect(newer.calls == before)
    }

    @Test("compaction keeps what counts and drops the rest, and numbers continue")
    func compaction() throws {
        let log = try opened(files, segmentLimit: 300)
        for number in 1...30 { try log.append([entry(UInt64(number))]) }
        let mark = LogRecord(kind: .failed, number: 4, payload: [1])
        try log.compact(keeping: [(4, [mark]), (9, [])])
        #expect(log.segments.count == 2)
        #expect(try log.entry(9) == entry(9))
        try log.append([entry(31)])
        let records = try read(files).0
        #expect(records.map(\.number) == [30, 4, 4, 9, 31])
        #expect(records.contains(mark))
    }

    @Test("compaction stopped at any call leaves everything that counts")
    func stoppedCompaction() throws {
        let total = try compactionCalls(stop: nil)
        for call in 1...total { _ = try compactionCalls(stop: call) }
    }

    private func compactionCalls(stop: Int?) throws -> Int {
        let files = ModelFiles()
        let log = try opened(files, segmentLimit: 300)
        for number in 1...12 { try log.append([entry(UInt64(number))]) }
        try log.append([LogRecord(kind: .delivered, number: 1)])
        try log.sync()
        let before = files.calls
        if let stop { files.stop(atCall: before + stop) }
        try? log.compact(keeping: (2...12).map { ($0, []) })
        let calls = files.calls - before
        var random = SplitMix64(seed: UInt64(stop ?? 0))
        for after in [
            files.afterKill(), files.afterPowerLoss { $0 = false }, files.afterPowerLoss { $0 = true },
            files.afterPowerLoss { $0 = Bool.random(using: &random) },
        ] {
            let records = try read(after).0
            let live = Set(records.filter { $0.kind == .entry }.map(\.number))
            #expect(live.isSuperset(of: 2...12))
            #expect(!live.contains(1) || records.contains { $0.kind == .delivered && $0.number == 1 })
        }
        return calls
    }

    @Test("after a failed sync the records go to a new segment, and survive a loss of power")
    func failedSync() throws {
        let log = try written([entry(1)])
        try log.append([entry(2)])
        let count = Locked(0)
        files.fail { operation, _ in operation == .sync && count.next() == 1 ? EIO : nil }
        try log.sync()
        #expect(log.segments.count == 2)
        try log.append([entry(3)])
        try log.sync()
        #expect(try read(files.afterPowerLoss { $0 = false }).0.map(\.number) == [1, 2, 3])
    }

    @Test("a broken disk makes it uncertain, and a later sync makes up for it")
    func brokenDisk() throws {
        let log = try opened(files)
        try log.append([entry(1)])
        files.fail { operation, _ in operation == .sync ? EIO : nil }
        let error = #expect(throws: OutboxError.self) { try log.sync() }
        #expect(error?.code == .uncertain)
        files.fail { _, _ in nil }
        try log.append([entry(2)])
        try log.sync()
        #expect(try read(files.afterPowerLoss { $0 = false }).0.map(\.number) == [1, 2])
    }

    @Test("a full disk refuses whole records and keeps those before")
    func full() throws {
        let log = try opened(files)
        try log.append([entry(1)])
        files.limit(capacity: log.totalCount + 20)
        #expect(throws: OutboxError.self) { try log.append([entry(2, count: 500)]) }
        files.limit(capacity: nil)
        #expect(try read(files.afterKill()).0.map(\.number) == [1])
        try log.append([entry(3)])
        #expect(try read(files.afterKill()).0.map(\.number) == [1, 3])
    }

    @Test("short reads and writes change nothing")
    func short() throws {
        files.limit(transfers: 7)
        _ = try written([entry(1, count: 100), entry(2)])
        #expect(try read(files).0.map(\.number) == [1, 2])
    }

    @Test("a removed folder is detected at the next sync")
    func removedFolder() throws {
        let log = try opened(files)
        try log.append([entry(1)])
        try files.remove(log.path(ofSegment: 1))
        #expect(throws: OutboxError.self) { try log.sync() }
    }
}
