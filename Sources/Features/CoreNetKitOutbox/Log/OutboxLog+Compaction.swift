import CoreNetKitSystem

extension OutboxLog {
    /// Replaces all segments by one that holds what still counts, and begins a new one.
    ///
    /// An interruption leaves either the old segments or the new one: the draft is renamed only when it is on disk, and
    /// its head says that it replaces all earlier segments. If this throws, the log continues unchanged.
    func compact(keeping live: [(number: UInt64, marks: [LogRecord])]) throws(OutboxError) {
        try roll()
        guard segments.count > 1 else { return }
        let old = segments.dropLast()
        guard let replaced = old.last else { return }
        let number = replaced.head.segment
        let head = SegmentHead(segment: number, made: now(), salt: makeSalt(), replacesEarlier: true)
        let (count, moved) = try writeDraft(head, live)
        do {
            try files.rename(draftPath, to: replaced.path)
            try files.syncFolder(folder)
        } catch {
            try? files.remove(draftPath)
            // The rename may have taken effect already: then the old positions are wrong.
            if try reopenMoved(replaced, head) { adopt(head, replaced.path, count, moved) }
            throw OutboxError(error)
        }
        // The new segment says that it replaces these, so a failed removal does not matter.
        for segment in old.dropLast() { try? files.remove(segment.path) }
        adopt(head, replaced.path, count, moved)
    }

    private func adopt(_ head: SegmentHead, _ path: String, _ count: Int, _ moved: PositionIndex) {
        segments = [Segment(head: head, path: path, count: count)] + segments.suffix(1)
        let active = segments.last?.head.segment
        positions = positions.ofSegment(active, with: moved)
    }

    private func reopenMoved(_ replaced: Segment, _ head: SegmentHead) throws(OutboxError) -> Bool {
        let bytes = try mappingFiles { () throws(FileError) in
            let file = try files.open(replaced.path, .read)
            defer { files.close(file) }
            return try files.readAll(file, count: SegmentHead.count)
        }
        return try SegmentHead.read(bytes, of: replaced.path) == head
    }

    private func writeDraft(
        _ head: SegmentHead,
        _ live: [(number: UInt64, marks: [LogRecord])]
    ) throws(OutboxError) -> (count: Int, PositionIndex) {
        let file = try mappingFiles { () throws(FileError) in try files.createNew(draftPath) }
        defer { files.close(file) }
        do throws(OutboxError) {
            var writer = DraftWriter(file: file, files: files, head: head)
            try writer.add(LogRecord(kind: .checkpoint, number: highestNumber))
            for record in carried { try writer.add(record) }
            for entry in live {
                // An entry whose record is damaged cannot be sent.
                guard let record = try intactEntry(entry.number) else { continue }
                try writer.add(record)
                for mark in entry.marks { try writer.add(mark) }
            }
            try writer.flush()
            if let durability { try mappingFiles { () throws(FileError) in try files.sync(file, durability) } }
            return (writer.count, writer.positions)
        } catch {
            try? files.remove(draftPath)
            throw error
        }
    }

    private func intactEntry(_ number: UInt64) throws(OutboxError) -> LogRecord? {
        do throws(OutboxError) { return try entry(number) } catch {
            if error.code == .damaged { return nil }
            throw error
        }
    }
}

private struct DraftWriter {
    let file: OpenFile
    let files: any FileOperations
    let head: SegmentHead
    private(set) var positions = PositionIndex()
    private var buffer: [UInt8]
    private var flushedCount = 0

    init(file: OpenFile, files: any FileOperations, head: SegmentHead) {
        (self.file, self.files, self.head) = (file, files, head)
        buffer = head.bytes
    }

    var count: Int { flushedCount + buffer.count }

    mutating func add(_ record: LogRecord) throws(OutboxError) {
        if record.kind == .entry {
            positions[record.number] = .init(segment: head.segment, offset: count, count: record.encodedCount)
        }
        record.encode(salt: head.salt, into: &buffer)
        if buffer.count > 256 << 10 { try flush() }
    }

    mutating func flush() throws(OutboxError) {
        let (bytes, offset) = (buffer, flushedCount)
        try mappingFiles { () throws(FileError) in try files.writeAll(file, bytes, at: offset) }
        flushedCount += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }
}

/// Positions of entries' records, in ascending order of number, because new numbers are usually the highest.
struct PositionIndex: Sendable {
    private var items: [(number: UInt64, position: OutboxLog.Position)] = []

    subscript(number: UInt64) -> OutboxLog.Position? {
        get {
            let index = index(of: number)
            return index < items.count && items[index].number == number ? items[index].position : nil
        }
        set {
            guard let newValue else { return }
            let item = (number, newValue)
            if items.last.map({ $0.number < number }) ?? true { return items.append(item) }
            let index = index(of: number)
            if items[index].number == number { items[index] = item } else { items.insert(item, at: index) }
        }
    }

    /// The positions in one segment, merged with others.
    func ofSegment(_ segment: UInt64?, with others: PositionIndex) -> PositionIndex {
        var all = others
        for item in items where item.position.segment == segment { all[item.number] = item.position }
        return all
    }

    private func index(of number: UInt64) -> Int { items.sortedIndex { $0.number < number } }
}
