import CoreNetKitSystem

/// The bytes between records that are not valid, kept in the quarantine, and the number of such places.
typealias LogRecovery = (damagedCount: Int, damagedPlaces: Int)

extension OutboxLog {
    /// Reads all segments in order and makes the log ready to be written; returns what was damaged.
    ///
    /// If this throws, nothing was changed and the log stays closed.
    func open(_ visit: (LogRecord) throws(OutboxError) -> Void) throws(OutboxError) -> LogRecovery {
        var recovery: LogRecovery = (0, 0)
        let found = try readHeads(&recovery)
        // The log begins at the newest segment that replaces all earlier ones.
        let start = found.lastIndex { $0.head.replacesEarlier } ?? 0
        for segment in found.dropFirst(start) { try read(segment, visit, &recovery) }
        for segment in found.prefix(start) { try? files.remove(segment.path) }
        try? files.remove(draftPath)
        guard let last = segments.last else {
            try begin(segment: 1)
            return recovery
        }
        active = try mappingFiles { () throws(FileError) in try files.open(last.path, .update) }
        syncedCount = last.count
        try cutTail(last)
        return recovery
    }

    var draftPath: String { folder + "/compact.tmp" }

    private func readHeads(_ recovery: inout LogRecovery) throws(OutboxError) -> [Segment] {
        let names = try mappingFiles { () throws(FileError) in try files.list(folder) }
        var found: [Segment] = []
        for name in names where name.hasPrefix("journal-") && name.hasSuffix(".log") {
            let path = folder + "/" + name
            let (bytes, count) = try mappingFiles { () throws(FileError) in
                let file = try files.open(path, .read)
                defer { files.close(file) }
                return (try files.readAll(file, count: SegmentHead.count), try files.status(of: file).size)
            }
            if let head = try SegmentHead.read(bytes, of: path) {
                found.append(Segment(head: head, path: path, count: count))
            } else {
                // A segment is used only after its head is on disk: a short one without a head never held anything.
                if count > SegmentHead.count { Self.add(count, to: &recovery) }
                try quarantine(path, as: name)
            }
        }
        return found.sorted { $0.head.segment < $1.head.segment }
    }

    private func read(
        _ segment: Segment,
        _ visit: (LogRecord) throws(OutboxError) -> Void,
        _ recovery: inout LogRecovery
    ) throws(OutboxError) {
        let content = try mappingFiles { () throws(FileError) in try files.content(of: segment.path) } ?? []
        let scan = try content.withUnsafeBufferPointer { (bytes) throws(OutboxError) in
            try segment.head.scan(UnsafeRawBufferPointer(bytes)) { (record, offset, count) throws(OutboxError) in
                let position = Position(segment: segment.head.segment, offset: offset, count: count)
                if try take(record, at: position, segment.path) { try visit(record) }
            }
        }
        for range in scan.damaged {
            keep(content[range], "damaged-\(segment.head.segment)-\(range.lowerBound)")
            Self.add(range.count, to: &recovery)
        }
        if scan.end < content.count {
            let tail = content[scan.end...]
            let isKept = scan.damaged.last?.upperBound == content.count
            if !isKept, tail.contains(where: { $0 != 0 }) { keep(tail, "tail-\(segment.head.segment)-\(scan.end)") }
        }
        segments.append(Segment(head: segment.head, path: segment.path, count: scan.end))
    }

    /// Registers the position of a record; an unknown one that may be skipped is carried along.
    private func take(_ record: LogRecord, at position: Position, _ path: String) throws(OutboxError) -> Bool {
        highestNumber = max(highestNumber, record.number)
        guard record.kind.isKnown else {
            guard record.flags & LogRecord.skippable != 0 else {
                throw .newer("\(path) has a record of kind \(record.kind.rawValue)")
            }
            carried.append(record)
            return false
        }
        if record.kind == .entry { positions[record.number] = position }
        return true
    }

    private func cutTail(_ last: Segment) throws(OutboxError) {
        guard let active else { return }
        let size = try mappingFiles { () throws(FileError) in try files.status(of: active).size }
        guard size != last.count else { return }
        // The next record overwrites the tail, so a failed cut need not prevent opening.
        try? files.truncate(active, to: last.count)
        if let durability { try? files.sync(active, durability) }
    }

    private static func add(_ count: Int, to recovery: inout LogRecovery) {
        recovery = (recovery.damagedCount + count, recovery.damagedPlaces + 1)
    }

    /// Moves a file out of the way, for later inspection.
    func quarantine(_ path: String, as name: String) throws(OutboxError) {
        try? files.makeFolder(quarantinePath)
        try mappingFiles { () throws(FileError) in
            try files.rename(path, to: "\(quarantinePath)/\(name)-\(now())")
        }
    }

    /// Keeps up to 64 ranges of damaged bytes; a failure loses nothing that was readable.
    private func keep(_ bytes: ArraySlice<UInt8>, _ name: String) {
        try? files.makeFolder(quarantinePath)
        guard let names = try? files.list(quarantinePath), names.count < 64, !names.contains(name),
            let file = try? files.open("\(quarantinePath)/\(name)", .create)
        else { return }
        defer { files.close(file) }
        try? files.writeAll(file, Array(bytes), at: 0)
    }

    private var quarantinePath: String { folder + "/quarantine" }
}
