package import CoreNetKitEssentials
package import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The file of an incomplete download, `name.part`, and its sidecar, `name.part.json`.
///
/// Belongs to one download at a time, by a lock that other processes respect and that ends with its process. Its methods
/// block: they run on a thread of their own.
package struct DownloadPart: Sendable {
    private static let syncInterval = 32 << 20
    /// With several requests, the sidecar records their progress after this many bytes.
    private static let saveInterval = 1 << 20

    package let target: String
    private let files: any FileOperations
    private let file: OpenFile
    private let boot: String
    /// Whether this download wrote the part itself: then all of it counts.
    package private(set) var isOwn = false
    /// Whether it still has the name of a part.
    private var isNamed = true
    /// Bytes of several requests that are not recorded in the sidecar yet.
    private var unsaved = 0
    package private(set) var size: Int
    package private(set) var sidecar: DownloadSidecar?

    private var path: String { target + ".part" }
    private var sidecarPath: String { target + ".part.json" }

    /// Opens or creates the part, and locks it.
    package init(for target: String, _ files: any FileOperations) throws(DownloadError) {
        self.target = target
        self.files = files
        do throws(FileError) {
            let kind = try files.status(of: target)?.kind
            if kind == .folder { throw FileError(.open, target, EISDIR) }
            file = try Self.lock(target + ".part", files)
            boot = DownloadSidecar.currentBoot(files)
            size = try files.status(of: file).size
            sidecar = try files.json(DownloadSidecar.self, at: target + ".part.json")
        } catch {
            throw Self.failure(error)
        }
    }

    /// Retries when the part became the target during the wait for the lock: then the lock is on another file.
    private static func lock(_ path: String, _ files: any FileOperations) throws(FileError) -> OpenFile {
        for _ in 0..<10 {
            let file = try files.open(path, .updateOrCreate)
            do throws(FileError) {
                guard try files.tryLock(file) else { throw FileError(.lock, path, EWOULDBLOCK) }
                let (mine, named) = (try files.status(of: file), try files.status(of: path))
                if named?.inode == mine.inode, named?.device == mine.device { return file }
                files.close(file)
            } catch {
                files.close(file)
                throw error
            }
        }
        throw FileError(.lock, path, EWOULDBLOCK)
    }

    /// What one request can use of the part.
    package var held: HeldContent {
        // The part of several requests has gaps.
        if sidecar?.plan != nil { return HeldContent() }
        guard isOwn, let sidecar, sidecar.validator != nil else {
            return sidecar?.held(of: size, boot: boot) ?? HeldContent()
        }
        return HeldContent(size: size, total: sidecar.total, validator: sidecar.validator)
    }

    /// What several requests can use of the part, even if a single request started it.
    package var plan: SegmentPlan? {
        if let plan = sidecar?.plan(of: size, boot: boot) { return plan }
        let held = held
        guard held.size > 0, let total = held.total else { return nil }
        return SegmentPlan(total: total, held: held.size, synced: sidecar?.synced ?? 0)
    }

    /// Prepares the part for several requests; the sidecar is stored before the part gets its full length.
    package mutating func begin(_ plan: SegmentPlan, url: String, place: String, validator: DownloadValidator)
        throws(DownloadError)
    {
        try mapping { part throws(FileError) in
            var sidecar = DownloadSidecar(
                url: url,
                place: place,
                validator: validator,
                total: plan.total,
                boot: part.boot
            )
            (sidecar.version, sidecar.plan) = (2, plan)
            if sidecar != part.sidecar { try part.store(sidecar) }
            if part.size != plan.total {
                try part.files.truncate(part.file, to: plan.total)
                part.size = plan.total
            }
            part.isOwn = true
        }
    }

    package mutating func write(_ bytes: Data, in index: Int) throws(DownloadError) {
        try mapping { part throws(FileError) in
            guard let segment = part.sidecar?.plan?.segments[index] else { return }
            try part.files.writeAll(part.file, bytes, at: segment.start + segment.done)
            part.sidecar?.plan?.wrote(bytes.count, in: index)
            part.unsaved += bytes.count
            guard let sidecar = part.sidecar, let plan = sidecar.plan else { return }
            if plan.unsynced >= Self.syncInterval {
                try part.sync()
            } else if part.unsaved >= Self.saveInterval {
                try part.store(sidecar)
            }
        }
    }

    package mutating func flush() throws(DownloadError) {
        try mapping { part throws(FileError) in try part.sync() }
    }

    /// Prepares the part for writing at an offset; the sidecar is stored before the first byte counts.
    package mutating func begin(
        at offset: Int,
        url: String,
        place: String? = nil,
        validator: DownloadValidator?,
        total: Int?
    ) throws(DownloadError) {
        try mapping { part throws(FileError) in
            if part.size != offset {
                try part.files.truncate(part.file, to: offset)
                part.size = offset
            }
            var sidecar = DownloadSidecar(url: url, place: place, validator: validator, total: total, boot: part.boot)
            sidecar.synced = min(part.sidecar?.synced ?? 0, offset)
            if sidecar != part.sidecar { try part.store(sidecar) }
            part.isOwn = true
        }
    }

    package mutating func append(_ bytes: Data) throws(DownloadError) {
        try mapping { part throws(FileError) in
            try part.files.writeAll(part.file, bytes, at: part.size)
            part.size += bytes.count
            if part.size - (part.sidecar?.synced ?? 0) >= Self.syncInterval { try part.sync() }
        }
    }

    package mutating func reset() throws(DownloadError) {
        try mapping { part throws(FileError) in
            try part.files.truncate(part.file, to: 0)
            part.size = 0
            if part.sidecar != nil { try part.files.remove(part.sidecarPath) }
            part.sidecar = nil
        }
    }

    /// Keeps the part for the next download, and releases the lock.
    package mutating func keep() {
        try? sync()
        release()
    }

    /// Releases the lock; an empty part is removed.
    package func release() {
        if size == 0, sidecar == nil, isNamed { try? files.remove(path) }
        close()
    }

    package func close() { files.close(file) }

    package func digest() throws(DownloadError) -> [UInt8] {
        do throws(FileError) { return try Self.digest(of: file, size, files) } catch { throw Self.failure(error) }
    }

    static func digest(of path: String, _ files: any FileOperations) throws(FileError) -> [UInt8] {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        return try digest(of: file, files.status(of: file).size, files)
    }

    private static func digest(of file: OpenFile, _ size: Int, _ files: any FileOperations) throws(FileError) -> [UInt8]
    {
        var hash = SHA256()
        var offset = 0
        while offset < size {
            let bytes = try files.readAll(file, at: offset, count: min(1 << 20, size - offset))
            guard !bytes.isEmpty else { break }
            hash.update(bytes)
            offset += bytes.count
        }
        return hash.digest
    }

    /// Renames the part to the target: only a file that is complete on the disk gets that name.
    package mutating func finish() throws(DownloadError) {
        try mapping { part throws(FileError) in
            try part.files.sync(part.file, .full)
            try part.files.rename(part.path, to: part.target)
            part.isNamed = false
            if part.sidecar != nil { try part.files.remove(part.sidecarPath) }
            try part.files.syncFolder(part.target.folderPath)
        }
    }

    private mutating func sync() throws(FileError) {
        guard var sidecar, sidecar.plan.map({ $0.unsynced > 0 }) ?? (sidecar.synced != size) else { return }
        try files.sync(file, .barrier)
        if sidecar.plan == nil { sidecar.synced = size } else { sidecar.plan?.synced() }
        try store(sidecar)
    }

    private mutating func store(_ sidecar: DownloadSidecar) throws(FileError) {
        try files.store(sidecar, at: sidecarPath)
        (self.sidecar, unsaved) = (sidecar, 0)
    }

    private mutating func mapping(_ body: (inout DownloadPart) throws(FileError) -> Void) throws(DownloadError) {
        do throws(FileError) { try body(&self) } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: FileError) -> DownloadError {
        switch error.operation {
        case .lock where error.number == EWOULDBLOCK:
            DownloadError(.targetBusy, "another download writes to the same target")
        case .open where error.number == EISDIR: DownloadError(.targetIsFolder, "the target is a folder")
        default: DownloadError(.fileFailed, error.description)
        }
    }
}
