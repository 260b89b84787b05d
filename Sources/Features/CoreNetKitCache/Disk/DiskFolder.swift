import CoreNetKitEssentials
package import CoreNetKitSystem

/// The paths of a disk storage's files: `<root>/v2/<partition>/<2 digits>/<30 digits>`, and `.<name>` for bodies.
///
/// Older versions used the root or folders beside `v2`; their files are trimmed with the rest.
package struct DiskFolder: Sendable {
    package let root: String
    package let files: any FileOperations
    package var base: String { "\(root)/v2" }

    package init(root: String, files: any FileOperations) {
        self.root = root.utf8.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root
        self.files = files
    }

    /// Creates the folder, or checks that it belongs to this user.
    package func prepare() throws(FileError) {
        try files.claimFolder(root)
        do { try files.makeFolder(base) } catch { if !error.exists { throw error } }
    }

    package func folder(ofPartition partition: String) -> String { "\(base)/\(Self.name(ofPartition: partition))" }

    private static func name(ofPartition partition: String) -> String {
        partition.isEmpty ? "common" : Hash128(of: partition).description
    }

    package func path(of key: CacheKey) -> String { path(of: key, in: folder(ofPartition: key.partition)) }

    /// Where format version 1 stored these resources, in every partition, because an invalidation applies to all users.
    package func oldPaths(of keys: [CacheKey]) -> [String] {
        let partitions = ((try? files.list(root)) ?? []).filter(Self.isPartition)
        return partitions.flatMap { name in keys.map { path(of: $0, in: "\(root)/\(name)") } }
    }

    /// Whether a name can be the result of ``name(ofPartition:)``.
    private static func isPartition(_ name: String) -> Bool {
        name == "common" || name.utf8.count == 32 && name.utf8.allSatisfy { $0 != UInt8(ascii: ".") }
    }

    private func path(of key: CacheKey, in folder: String) -> String {
        let name = Hash128(of: key.url).description
        return "\(folder)/\(name.prefix(2))/\(name.dropFirst(2))"
    }

    /// Works on a path; if its folders are missing, once more after they were made.
    private func withFolders<Value>(
        above path: String,
        _ work: () throws(FileError) -> Value
    ) throws(FileError) -> Value {
        do { return try work() } catch { if !error.isMissing { throw error } }
        let folder = path.folderPath
        for path in [folder.folderPath, folder] {
            do { try files.makeFolder(path) } catch { if !error.exists { throw error } }
        }
        return try work()
    }

    /// All folders of two digits, in one partition or in all, including those of older versions.
    package func leaves(ofPartition partition: String?) -> [String] {
        let tops = partition.map { [folder(ofPartition: $0), "\(root)/\(Self.name(ofPartition: $0))"] }
        return (tops ?? below(base) + below(root).filter { $0 != base }).flatMap { below($0) }
    }

    private func below(_ path: String) -> [String] {
        let names = (try? files.list(path)) ?? []
        return names.map { "\(path)/\($0)" }.filter { (try? files.status(of: $0))?.kind == .folder }
    }
}

/// Records, read and written synchronously: used only on a file queue.
extension DiskFolder {
    package static let longestRecord = 4 << 20
    /// Seconds between two updates of a record's time of use.
    package static let touchInterval: Int64 = 3600

    /// Reads a record; a damaged file is removed; else, given `now`, its time of use is updated, at most once an hour.
    package func read(_ key: CacheKey, now: Int64?) throws(FileError) -> (record: CacheRecord?, isDamaged: Bool) {
        let path = path(of: key)
        let file: OpenFile
        do { file = try files.open(path, .read) } catch {
            if error.isMissing { return (nil, false) }
            throw error
        }
        defer { files.close(file) }
        let status = try files.status(of: file)
        guard status.kind == .file, status.size <= Self.longestRecord,
            let record = RecordFormat.decode(try files.readAll(file, count: status.size), key)
        else {
            // A resource with the same hash looks the same here; only one of both can be stored anyway.
            try? files.remove(path)
            return (nil, true)
        }
        if let now, now - status.modified > Self.touchInterval || status.modified > now { touch(path) }
        return (record, false)
    }

    /// Writes the first byte again, unchanged, so that the file's modification time is the time of its use.
    private func touch(_ path: String) {
        guard let file = try? files.open(path, .update) else { return }
        defer { files.close(file) }
        try? files.writeAll(file, [RecordFormat.magic[0]], at: 0)
    }

    /// Replaces the record of a resource atomically, the old one or the new one being found; returns the bytes written.
    @discardableResult
    package func write(_ record: CacheRecord, _ key: CacheKey) throws(FileError) -> Int64 {
        let path = path(of: key)
        if record.variants.isEmpty {
            do { try files.remove(path) } catch { if !error.isMissing { throw error } }
            return 0
        }
        let bytes = RecordFormat.encode(record, key)
        let draft = String(draft(of: key).dropFirst(path.folderPath.count + 1))
        try withFolders(above: path) { () throws(FileError) in
            try files.replace(path, with: bytes, draft: draft, durability: nil)
        }
        return Int64(bytes.count)
    }

    package func create(_ path: String) throws(FileError) -> OpenFile {
        try withFolders(above: path) { () throws(FileError) in try files.open(path, .create) }
    }

    func draft(of key: CacheKey) -> String { "\(path(of: key)).t\(RecordFormat.randomDigits())" }

    package func path(ofBody name: String, _ key: CacheKey) -> String { "\(path(of: key)).\(name)" }

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
        for leaf in leaves(ofPartition: partition) {
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
