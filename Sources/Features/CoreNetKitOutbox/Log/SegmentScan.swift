/// The content of a segment: whole records, damaged ranges, and its end.
struct SegmentScan {
    /// Damaged ranges between records.
    private(set) var damaged: [Range<Int>] = []
    /// The end of the last whole record; what follows was not written completely, or is damaged up to the end.
    private(set) var end: Int

    /// Reads all records.
    ///
    /// - Parameters:
    ///   - bytes: The whole segment.
    ///   - salt: The salt of its head.
    ///   - visit: Gets each whole record, its offset and its length in the file.
    /// - Throws: The errors of `visit`.
    init(
        _ bytes: UnsafeRawBufferPointer,
        salt: UInt64,
        visit: (LogRecord, _ offset: Int, _ count: Int) throws(LogError) -> Void
    ) throws(LogError) {
        var offset = SegmentHead.count
        end = offset
        // Bounds the search, which may compute checksums of long ranges again and again.
        var budget = 64 << 20
        while offset < bytes.count {
            if let (record, count) = LogRecord.decode(bytes, at: offset, salt: salt) {
                try visit(record, offset, count)
                offset += count
                // The last record's padding may be missing: the end is where it would have ended.
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
