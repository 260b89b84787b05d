/// What is in a segment: the records that are whole, the ranges that are damaged, and where it ends.
struct SegmentScan {
    /// Damaged ranges between records.
    private(set) var damaged: [Range<Int>] = []
    /// Behind the last whole record; what follows was never finished, or is damaged beyond finding its end.
    private(set) var end: Int

    /// Reads all records.
    ///
    /// - Parameters:
    ///   - bytes: The whole segment.
    ///   - salt: Of its head.
    ///   - visit: Gets each whole record, its offset and its length in the file.
    /// - Throws: What `visit` throws.
    init(
        _ bytes: UnsafeRawBufferPointer,
        salt: UInt64,
        visit: (LogRecord, _ offset: Int, _ count: Int) throws(LogError) -> Void
    ) throws(LogError) {
        var offset = SegmentHead.count
        end = offset
        // A search may compute checksums over long stretches again and again; this bounds it.
        var budget = 64 << 20
        while offset < bytes.count {
            if let (record, count) = LogRecord.decode(bytes, at: offset, salt: salt) {
                try visit(record, offset, count)
                offset += count
                // The last record's padding may be missing: what follows begins where it would have ended.
                end = offset
                continue
            }
            guard let next = Self.nextRecord(in: bytes, after: offset, salt: salt, budget: &budget) else {
                let tail = UnsafeRawBufferPointer(rebasing: bytes[offset...])
                if LogRecord.isDamaged(tail, salt: salt) { damaged.append(offset..<bytes.count) }
                return
            }
            damaged.append(offset..<next)
            offset = next
        }
    }

    private static func nextRecord(
        in bytes: UnsafeRawBufferPointer,
        after offset: Int,
        salt: UInt64,
        budget: inout Int
    ) -> Int? {
        var offset = offset + 8
        while offset + LogRecord.headCount + 4 <= bytes.count, budget > 0 {
            if bytes.little(UInt32.self, at: offset) == LogRecord.marker {
                budget -= min(Int(bytes.little(UInt32.self, at: offset + 4)), bytes.count)
                if LogRecord.decode(bytes, at: offset, salt: salt) != nil { return offset }
            }
            offset += 8
        }
        return nil
    }
}
