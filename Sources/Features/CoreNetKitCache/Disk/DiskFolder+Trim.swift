import CoreNetKitSystem

private struct DiskUnit {
    var paths: [String] = []
    var bytes: Int64 = 0
    var used = Int64.min
    var hasRecord = false
}

extension DiskFolder {
    /// Removes drafts and bodies without a record after an hour, and whole resources until the rest fits.
    ///
    /// Over the limit, into nine tenths of it; on a full disk, until the bytes to free are free.
    package func trim(limit: Int64, now: Int64, freeing: Int64 = 0) -> CacheStorageCounts {
        var units: [DiskUnit] = []
        for leaf in leaves(ofPartition: nil) { units += sweep(leaf, now: now) }
        var result = CacheStorageCounts()
        result.entries = units.filter(\.hasRecord).count
        result.bytes = units.reduce(0) { $0 + $1.bytes }
        guard result.bytes > limit || freeing > 0 else { return result }
        let aim = result.bytes > limit ? limit / 10 * 9 : result.bytes - freeing
        for unit in units.sorted(by: { $0.used < $1.used }) {
            guard result.bytes > aim else { break }
            for path in unit.paths { try? files.remove(path) }
            result.bytes -= unit.bytes
            if unit.hasRecord { result.entries -= 1 }
            result.evictions += 1
        }
        return result
    }

    package func removeAll(partition: String?) {
        for leaf in leaves(ofPartition: partition) {
            for name in (try? files.list(leaf)) ?? [] { try? files.remove("\(leaf)/\(name)") }
        }
    }

    private func sweep(_ leaf: String, now: Int64) -> [DiskUnit] {
        var units: [Substring: DiskUnit] = [:]
        for name in (try? files.list(leaf)) ?? [] {
            let path = "\(leaf)/\(name)"
            guard let status = try? files.status(of: path), status.kind == .file else { continue }
            let stem = name.prefix { $0 != "." }
            let isOld = now - status.modified > 3600
            if name.dropFirst(stem.count).hasPrefix(".t") {
                if isOld { try? files.remove(path) }
                continue
            }
            var unit = units[stem] ?? DiskUnit()
            unit.paths.append(path)
            unit.bytes += Int64(status.size).wholeBlocks
            unit.used = max(unit.used, status.modified)
            if stem.count == name.count { unit.hasRecord = true }
            units[stem] = unit
        }
        return units.values.filter { unit in
            guard !unit.hasRecord, now - unit.used > 3600 else { return true }
            for path in unit.paths { try? files.remove(path) }
            return false
        }
    }
}

extension Int64 {
    /// The disk space of a file: file systems allocate blocks, mostly of 4 KiB.
    var wholeBlocks: Int64 {
        let (sum, overflow) = addingReportingOverflow(4095)
        return overflow ? self : sum & ~4095
    }
}
