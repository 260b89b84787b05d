import CoreNetKitSystem

/// The state of a disk storage.
struct DiskState: Sendable {
    /// Whether the folder can be used; `nil` before it was checked.
    var isUsable: Bool?
    /// Changes that are not in the files yet, in their order; applied to every record that is read.
    var edits: [CacheKey: [CacheEdit]] = [:]
    /// How many of a key's changes are being written.
    var writing: [CacheKey: Int] = [:]
    /// Bytes of content that wait to be written.
    var lag = 0
    var counts = CacheStorageCounts()
    /// Bytes in the folder: measured at the first write, then updated by addition.
    var size: Int64?
    var isTrimming = false
    /// When the disk was full even after room was made: seconds since 1970.
    var fullSince: Int64?
    var lock: OpenFile?

    mutating func failed(_ error: any Error) {
        counts.errors += 1
        counts.problem = "\(error)"
    }

    mutating func takeEdits(_ key: CacheKey) -> [CacheEdit] {
        let edits = edits[key] ?? []
        writing[key] = edits.count
        return edits
    }

    mutating func dropWritten(_ key: CacheKey) {
        let count = writing.removeValue(forKey: key) ?? 0
        let rest = Array((edits[key] ?? []).dropFirst(count))
        edits[key] = rest.isEmpty ? nil : rest
    }
}
