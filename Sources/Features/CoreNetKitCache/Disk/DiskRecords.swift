package import CoreNetKitSystem

import CoreNetKitEssentials

/// Reads and writes the records of a folder, synchronously.
///
/// Used only on a file queue.
package struct DiskRecords: Sendable {
    /// The result of a read.
    package enum Reading: Sendable {
        case record(CacheRecord)
        case nothing
        /// Not a complete record of this version; it was removed.
        case damaged
    }

    /// The maximum size of a record's file.
    package static let longestRecord = 4 << 20
    /// Seconds between two updates of a record's time of use.
    package static let touchInterval: Int64 = 3600

    package let folder: DiskFolder
    private var files: any FileOperations { folder.files }

    package init(_ folder: DiskFolder) { self.folder = folder }

    /// The record of a resource.
    ///
    /// - Parameters:
    ///   - key: The resource.
    ///   - now: Seconds since 1970; the file is marked as used if the last mark is older than an hour. `nil` marks nothing.
    /// - Returns: The record, if there is one.
    /// - Throws: ``FileError`` if the file cannot be read.
    package func read(_ key: CacheKey, now: Int64?) throws(FileError) -> Reading {
        let path = folder.path(of: key)
        let file: OpenFile
        do { file = try files.open(path, .read) } catch {
            if error.isMissing { return .nothing }
            throw error
        }
        let bytes: [UInt8]
        let status: FileStatus
        do {
            defer { files.close(file) }
            status = try files.status(of: file)
            guard status.kind == .file, status.size <= Self.longestRecord else {
                try? files.remove(path)
                return .damaged
            }
            bytes = try files.readAll(file, count: status.size)
        }
        guard let record = RecordFormat.decode(bytes, key) else {
            // A resource with the same hash looks the same here; only one of both can be stored anyway.
            try? files.remove(path)
            return .damaged
        }
        if let now, now - status.modified > Self.touchInterval || status.modified > now { touch(path) }
        return .record(record)
    }

    /// Writes the first byte again, unchanged, so that the file's modification time is the time of its use.
    private func touch(_ path: String) {
        guard let file = try? files.open(path, .update) else { return }
        defer { files.close(file) }
        try? files.writeAll(file, [RecordFormat.magic[0]], at: 0)
    }

    /// Replaces the record of a resource atomically: a reader finds the old one or the new one.
    ///
    /// - Returns: The bytes written.
    /// - Throws: ``FileError``; the old record still exists then.
    @discardableResult
    package func write(_ record: CacheRecord, _ key: CacheKey) throws(FileError) -> Int64 {
        let path = folder.path(of: key)
        if record.variants.isEmpty {
            do { try files.remove(path) } catch { if !error.isMissing { throw error } }
            return 0
        }
        let bytes = RecordFormat.encode(record, key)
        let draft = "\(path).t\(BodyName.hex(UInt64.random(in: .min ... .max), 16))"
        let file = try create(draft)
        do {
            defer { files.close(file) }
            try files.writeAll(file, bytes, at: 0)
        } catch {
            try? files.remove(draft)
            throw error
        }
        do { try files.rename(draft, to: path) } catch {
            try? files.remove(draft)
            throw error
        }
        return Int64(bytes.count)
    }

    /// Creates a file, with the folders above it.
    package func create(_ path: String) throws(FileError) -> OpenFile {
        do { return try files.open(path, .create) } catch {
            guard error.isMissing else { throw error }
            try folder.makeFolders(above: path)
            return try files.open(path, .create)
        }
    }

    /// The path of a body.
    package func path(ofBody name: String, _ key: CacheKey) -> String { "\(folder.path(of: key)).\(name)" }

    /// Removes the bodies of edits or of the old record that the current record does not name.
    package func removeBodies(
        of old: CacheRecord?,
        and edits: [CacheEdit],
        except present: CacheRecord?,
        _ key: CacheKey
    ) {
        var names = Self.bodies(of: old?.variants ?? [])
        for case .put(let variant, _, _) in edits { names.formUnion(Self.bodies(of: [variant])) }
        for name in names.subtracting(Self.bodies(of: present?.variants ?? [])) {
            try? files.remove(path(ofBody: name, key))
        }
    }

    private static func bodies(of variants: [CacheVariant]) -> Set<String> {
        Set(variants.compactMap { if case .stored(let name, _) = $0.content { name } else { nil } })
    }

    /// The resources with a record; each file is read.
    package func keys(partition: String?) -> [CacheKey] {
        var keys: [CacheKey] = []
        for leaf in folder.leaves(ofPartition: partition) {
            for name in (try? files.list(leaf)) ?? [] where !name.contains(".") {
                guard let bytes = try? files.content(of: "\(leaf)/\(name)", limit: Self.longestRecord),
                    let key = RecordFormat.key(bytes), partition == nil || key.partition == partition
                else { continue }
                keys.append(key)
            }
        }
        return keys
    }
}
