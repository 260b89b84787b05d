import CoreNetKitEssentials
import CoreNetKitSystem

/// The file of an incomplete download, `name.part`, and its sidecar, `name.part.json`; belongs to one download at a time, by a
/// lock that other processes respect and that ends with its process.
struct DownloadPart: Sendable {
    private static let syncInterval = 32 << 20
    /// With several requests, the sidecar records their progress after this many bytes.
    private static let saveInterval = 1 << 20

    let target: String
    private let files: any FileOperations
    private let file: OpenFile
    private let boot: String
    /// Whether this download wrote the part itself: then all of it counts.
    private(set) var isOwn = false
    /// Whether it still has the name of a part.
    private var isNamed = true
    /// Bytes of several requests that are not recorded in the sidecar yet.
    private var unsaved = 0
    private(set) var size: Int
    private(set) var sidecar: DownloadSidecar?

    private var path: String { target + ".part" }
    private var sidecarPath: String { target + ".part.json" }

    /// Opens or creates the part, and locks it.
    init(for target: String, _ files: any FileOperations) throws(FileError) {
        (self.target, self.files) = (target, files)
        if try files.status(of: target)?.kind == .folder { throw FileError(.open, target, EISDIR) }
        file = try Self.lock(target + ".part", files)
        boot = DownloadSidecar.currentBoot(files)
        do throws(FileError) {
            size = try files.status(of: file).size
            sidecar = try files.json(DownloadSidecar.self, at: target + ".part.json")
        } catch {
            files.close(file)
            throw error
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
    var held: HeldContent {
        // The part of several requests has gaps.
        if sidecar?.plan != nil { return HeldContent() }
        guard isOwn, let sidecar, sidecar.validator != nil else {
            return sidecar?.held(of: size, boot: boot) ?? HeldContent()
        }
        return HeldContent(size: size, total: sidecar.total, validator: sidecar.validator)
    }

    /// What several requests can use of the part, even if a single request started it.
    var plan: SegmentPlan? {
        if let plan = sidecar?.plan(of: size, boot: boot) { return plan }
        let held = held
        guard held.size > 0, let total = held.total else { return nil }
        return SegmentPlan(total: total, held: held.size, synced: sidecar?.synced ?? 0)
    }

    /// Prepares the part for several requests; the sidecar is stored before the part gets its full length.
    mutating func begin(_ plan: SegmentPlan, url: String, place: String, validator: DownloadValidator)
        throws(FileError)
    {
        var next = DownloadSidecar(url: url, place: place, validator: validator, total: plan.total, boot: boot)
        (next.version, next.plan) = (2, plan)
        if next != sidecar { try store(next) }
        if size != plan.total {
            try files.truncate(file, to: plan.total)
            size = plan.total
        }
        isOwn = true
    }

    mutating func write(_ bytes: Data, in index: Int) throws(FileError) {
        guard let segment = sidecar?.plan?.segments[index] else { return }
        try files.writeAll(file, bytes, at: segment.start + segment.done)
        sidecar?.plan?.wrote(bytes.count, in: index)
        unsaved += bytes.count
        guard let sidecar, let plan = sidecar.plan else { return }
        if plan.unsynced >= Self.syncInterval {
            try sync()
        } else if unsaved >= Self.saveInterval {
            try store(sidecar)
        }
    }

    /// Prepares the part for writing at an offset; the sidecar is stored before the first byte counts.
    mutating func begin(
        at offset: Int,
        url: String,
        place: String? = nil,
        validator: DownloadValidator?,
        total: Int?
    ) throws(FileError) {
        if size != offset {
            try files.truncate(file, to: offset)
            size = offset
        }
        var next = DownloadSidecar(url: url, place: place, validator: validator, total: total, boot: boot)
        next.synced = min(sidecar?.synced ?? 0, offset)
        if next != sidecar { try store(next) }
        isOwn = true
    }

    mutating func append(_ bytes: Data) throws(FileError) {
        try files.writeAll(file, bytes, at: size)
        size += bytes.count
        if size - (sidecar?.synced ?? 0) >= Self.syncInterval { try sync() }
    }

    mutating func reset() throws(FileError) {
        try files.truncate(file, to: 0)
        size = 0
        if sidecar != nil { try files.remove(sidecarPath) }
        sidecar = nil
    }

    /// Keeps the part for the next download, and releases the lock.
    mutating func keep() {
        try? sync()
        release()
    }

    /// Releases the lock; an empty part is removed.
    func release() {
        if size == 0, sidecar == nil, isNamed { try? files.remove(path) }
        close()
    }

    func close() { files.close(file) }

    func digest() throws(FileError) -> [UInt8] { try Self.digest(of: file, size, files) }

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
    mutating func finish() throws(FileError) {
        try files.sync(file, .full)
        try files.rename(path, to: target)
        isNamed = false
        if sidecar != nil { try files.remove(sidecarPath) }
        try files.syncFolder(target.folderPath)
    }

    mutating func sync() throws(FileError) {
        guard var sidecar, sidecar.plan.map({ $0.unsynced > 0 }) ?? (sidecar.synced != size) else { return }
        try files.sync(file, .barrier)
        if sidecar.plan == nil { sidecar.synced = size } else { sidecar.plan?.synced() }
        try store(sidecar)
    }

    private mutating func store(_ sidecar: DownloadSidecar) throws(FileError) {
        try files.store(sidecar, at: sidecarPath)
        (self.sidecar, unsaved) = (sidecar, 0)
    }
}

extension DownloadError {
    init(_ error: FileError) {
        switch error.operation {
        case .lock where error.number == EWOULDBLOCK:
            self.init(.targetBusy, "another download writes to the same target")
        case .open where error.number == EISDIR: self.init(.targetIsFolder, "the target is a folder")
        default: self.init(.fileFailed, error.description)
        }
    }
}
