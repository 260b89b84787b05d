package import CoreNetKitSystem
import Glibc

/// A file system in memory that can stop, fail and lose power as a real one does.
///
/// A stop leaves everything that was written: the page cache outlives a killed process. A loss of power leaves what was
/// synced, and of the rest any choice of writes and names, single sectors included.
package final class ModelFiles: FileOperations {
    /// What the program under test sees of its own end: every call after the stop fails with this number.
    package static let stopped = ESHUTDOWN

    private let state: Locked<ModelDisk>

    package init() { state = Locked(ModelDisk()) }

    private init(_ disk: ModelDisk) { state = Locked(disk) }

    /// How many calls were made that change or sync something.
    package var calls: Int { state.withLock { $0.calls } }

    package var isStopped: Bool { state.withLock { $0.isStopped } }

    /// Stops the program within the call of this number, counted from 1: a write is half done.
    package func stop(atCall number: Int) { state.withLock { $0.stopCall = number } }

    /// Fails calls; `nil` lets one pass.
    package func fail(_ decide: @escaping @Sendable (FileError.Operation, String) -> Int32?) {
        state.withLock { $0.decide = decide }
    }

    package func limit(transfers count: Int) { state.withLock { $0.transferLimit = count } }

    package func limit(capacity: Int?) { state.withLock { $0.capacity = capacity } }

    /// The same files for a program that is started after this one was killed.
    package func afterKill() -> ModelFiles { ModelFiles(state.withLock { $0.afterKill() }) }

    /// The files after a loss of power: `choose` decides for each sector of a write and each name that was not synced.
    package func afterPowerLoss(_ choose: (inout Bool) -> Void) -> ModelFiles {
        ModelFiles(state.withLock { $0.afterPowerLoss(choose) })
    }

    package func bytes(of path: String) -> [UInt8]? { state.withLock { $0.bytes(of: path) } }

    /// Whether a file contains a text in UTF-8: by bytes, because the checksum behind a text may begin with what its last
    /// character would combine with.
    package func holds(_ text: String) -> Bool {
        paths.contains { bytes(of: $0)?.firstRange(of: Array(text.utf8)) != nil }
    }

    /// Changes a file behind everybody's back, as bad hardware does.
    package func change(_ path: String, _ change: (inout [UInt8]) -> Void) {
        state.withLock { $0.change(path, change) }
    }

    package var openCount: Int { state.withLock { $0.openCount } }

    package var paths: [String] { state.withLock { $0.paths } }

    package func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
        try state.withLock { disk throws(FileError) in try disk.open(path, mode) }
    }

    package func close(_ file: OpenFile) { state.withLock { $0.close(file) } }

    package func read(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        let count = buffer.count
        let bytes = try state.withLock { disk throws(FileError) in try disk.read(file, count: count, at: offset) }
        buffer.copyBytes(from: bytes)
        return bytes.count
    }

    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        let bytes = [UInt8](bytes)
        return try state.withLock { disk throws(FileError) in try disk.write(file, bytes, at: offset) }
    }

    package func sync(_ file: OpenFile, _ durability: SyncDurability) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.sync(file) }
    }

    package func syncFolder(_ path: String) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.syncFolder(path) }
    }

    package func truncate(_ file: OpenFile, to count: Int) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.truncate(file, to: count) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.rename(path, to: newPath) }
    }

    package func remove(_ path: String) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.remove(path) }
    }

    package func link(_ path: String, as newPath: String) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.link(path, as: newPath) }
    }

    package func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        try state.withLock { disk throws(FileError) in try disk.tryLock(file) }
    }

    package func unlock(_ file: OpenFile) { state.withLock { $0.unlock(file) } }

    package func status(of path: String) throws(FileError) -> FileStatus? {
        try state.withLock { disk throws(FileError) in try disk.status(of: path) }
    }

    package func status(of file: OpenFile) throws(FileError) -> FileStatus {
        try state.withLock { disk throws(FileError) in try disk.status(of: file) }
    }

    package func list(_ path: String) throws(FileError) -> [String] {
        try state.withLock { disk throws(FileError) in try disk.list(path) }
    }

    package func makeFolder(_ path: String) throws(FileError) {
        try state.withLock { disk throws(FileError) in try disk.makeFolder(path) }
    }
}
