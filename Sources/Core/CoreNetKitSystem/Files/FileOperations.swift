package import CoreNetKitEssentials

/// The file system as seen by storing code: one function per system call.
///
/// Files and folders belong to this user alone: a link at the end of a path is not followed, another user's file is neither
/// continued nor replaced, and a file opened for writing has the mode 0600 from then on. The seam for faults: tests stop a
/// program after any call, drop unsynced data, or fill the disk. Every call may block: call from a ``FileQueue``. Reads and
/// writes may be short; `readAll` and `writeAll` continue until everything is done.
package protocol FileOperations: Sendable {
    /// Opens a file, never through a link at the path's end, and not inherited by other programs; for writing, only a file
    /// of this user.
    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile
    /// Closes a file and releases its lock.
    func close(_ file: OpenFile)
    /// Reads at an offset; 0 at the end of the file.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Writes at an offset; may write only part of the bytes.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Stores content and length so that they survive a loss of power.
    func sync(_ file: OpenFile, _ durability: SyncDurability) throws(FileError)
    /// Stores a folder's names so that they survive a loss of power.
    func syncFolder(_ path: String) throws(FileError)
    /// Truncates a file, or extends it with zeros.
    func truncate(_ file: OpenFile, to count: Int) throws(FileError)
    /// Renames a file, and replaces a file of this user that has the new name.
    func rename(_ path: String, to newPath: String) throws(FileError)
    func remove(_ path: String) throws(FileError)
    /// Gives a file a second name; an existing name is an error.
    func link(_ path: String, as newPath: String) throws(FileError)
    /// Takes the file's lock if it is free, without waiting; it ends with the file's `close` or with the process.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool
    /// Releases the lock and keeps the file open.
    func unlock(_ file: OpenFile)
    /// The status of the item at a path, without following links; `nil` if there is none.
    func status(of path: String) throws(FileError) -> FileStatus?
    /// The current status of an open file; its `linkCount` is 0 once it was removed.
    func status(of file: OpenFile) throws(FileError) -> FileStatus
    /// The names in a folder, sorted, without those that begin with a dot.
    func list(_ path: String) throws(FileError) -> [String]
    /// Creates a folder that only its owner may enter; an existing one is an error.
    func makeFolder(_ path: String) throws(FileError)
}

package enum OpenMode: Sendable {
    /// An existing file, for reading.
    case read
    /// An existing file.
    case update
    /// An existing file, or a new one that only its owner may read.
    case updateOrCreate
    /// A new file that only its owner may read; an existing one is an error.
    case create
}

/// What synced data must survive.
package enum SyncDurability: Sendable {
    /// A loss of power, as far as the system promises: `fdatasync`, on Apple platforms `F_BARRIERFSYNC`.
    case barrier
    /// A loss of the drive's own cache too, if that is another call: `F_FULLFSYNC`. On Linux the same as the barrier.
    case full
}

package struct OpenFile: Hashable, Sendable {
    package let number: Int32
    package let path: String

    package init(number: Int32, path: String) { (self.number, self.path) = (number, path) }
}

package struct FileStatus: Hashable, Sendable {
    package enum Kind: Sendable { case file, folder, link, other }

    package var kind: Kind
    package var size: Int
    package var owner: UInt32
    /// The nine permission bits for reading, writing and entering.
    package var permissions: UInt32
    /// The number of its names; 0 if it was removed while open.
    package var linkCount: Int
    /// Together the file's identity while it exists.
    package var device: UInt64
    package var inode: UInt64
    /// Seconds since 1970.
    package var modified: Int64
    /// The same in nanoseconds, in the file system's resolution.
    package var modifiedExactly: Int64 = 0

    package init(
        kind: Kind,
        size: Int,
        owner: UInt32,
        permissions: UInt32,
        linkCount: Int,
        device: UInt64,
        inode: UInt64,
        modified: Int64
    ) {
        (self.kind, self.size, self.owner, self.permissions) = (kind, size, owner, permissions)
        (self.linkCount, self.device, self.inode) = (linkCount, device, inode)
        self.modified = modified
    }
}

/// A file operation that the system refused: the operation, its path and the system's error text.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Operation: String, Sendable, CaseIterable {
        case open, close, read, write, sync, syncFolder, truncate, rename, remove, link, lock, status, list, makeFolder
        /// The owner of a file or folder was checked.
        case owner
    }

    package let operation: Operation
    package let path: String
    /// The system's error number, such as `ENOSPC`.
    package let number: Int32

    package init(_ operation: Operation, _ path: String, _ number: Int32) {
        (self.operation, self.path, self.number) = (operation, path, number)
    }

    package static func foreign(_ path: String) -> FileError { FileError(.owner, path, EPERM) }

    package var reason: String {
        operation == .owner
            ? "it belongs to another user, or others may write to it" : String(cString: strerror(number))
    }

    package var description: String { "\(operation.rawValue) \(path): \(reason)" }

    package var isMissing: Bool { number == ENOENT }
    package var isFull: Bool { number == ENOSPC || number == EDQUOT }
    package var exists: Bool { number == EEXIST }
}

extension FileOperations {
    /// Reads until there are `count` bytes or the file ends.
    package func readAll(_ file: OpenFile, at offset: Int = 0, count: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(count, 0))
        let filled = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try readAll(file, into: buffer, at: offset) }
        }
        bytes.removeLast(bytes.count - (try filled.get()))
        return bytes
    }

    /// Reads until the buffer is full or the file ends; returns the number of bytes.
    package func readAll(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try read(file, into: .init(rebasing: buffer[filled...]), at: offset + filled)
            if count <= 0 { break }
            filled += count
        }
        return filled
    }

    /// Writes all of the bytes; after an error any part of them may have been written.
    package func writeAll(_ file: OpenFile, _ bytes: some ContiguousBytes, at offset: Int) throws(FileError) {
        let result = bytes.withUnsafeBytes { buffer in
            Result { () throws(FileError) in
                var written = 0
                while written < buffer.count {
                    let count = try write(file, .init(rebasing: buffer[written...]), at: offset + written)
                    // Neither progress nor an error: a device that accepts nothing.
                    guard count > 0 else { throw FileError(.write, file.path, EIO) }
                    written += count
                }
            }
        }
        try result.get()
    }

    /// The whole content of a file of at most `limit` bytes, otherwise an error (`EFBIG`); `nil` if there is no file.
    ///
    /// With `isOwn`, another user's file is an error, because its content cannot be trusted.
    package func content(of path: String, limit: Int = .max, isOwn: Bool = true) throws(FileError) -> [UInt8]? {
        let file: OpenFile
        do { file = try open(path, .read) } catch {
            if error.isMissing { return nil }
            throw error
        }
        defer { close(file) }
        let status = try status(of: file)
        guard !isOwn || status.owner == geteuid() else { throw .foreign(path) }
        let size = status.size
        guard size <= limit else { throw FileError(.read, path, EFBIG) }
        return try readAll(file, count: size)
    }

    /// Takes a file's lock, if it is free in time; polls, because the system has no lock with a timeout.
    package func lock(_ file: OpenFile, within limit: Duration) throws(FileError) -> Bool {
        let end = ContinuousClock.now + limit
        var pause: UInt32 = 200
        while try !tryLock(file) {
            guard ContinuousClock.now < end else { return false }
            usleep(pause)
            pause = min(pause * 2, 1000)
        }
        return true
    }

    /// Creates a file in place of an existing one: the content goes to a new file of this user.
    package func createNew(_ path: String) throws(FileError) -> OpenFile {
        do { return try open(path, .create) } catch {
            guard error.exists else { throw error }
            try remove(path)
            return try open(path, .create)
        }
    }

    /// Creates a folder that only this user may enter, or checks that an existing one belongs to this user.
    package func claimFolder(_ path: String) throws(FileError) {
        do { try makeFolder(path) } catch {
            guard error.exists else { throw error }
            guard let there = try status(of: path), there.kind == .folder else {
                throw FileError(.makeFolder, path, ENOTDIR)
            }
            guard there.owner == geteuid(), there.permissions & 0o022 == 0 else { throw .foreign(path) }
        }
    }

    /// Puts a file with this content at a path: any reader finds the old content or the new one, even after a loss of
    /// power.
    ///
    /// After an error the old one is there, or the new one if only the last sync failed. No other writer in the folder uses
    /// the name of the `draft`, which is random by default. Without `durability`, content survives only the process.
    package func replace(
        _ path: String,
        with bytes: [UInt8],
        draft: String? = nil,
        durability: SyncDurability? = .barrier
    ) throws(FileError) {
        let folder = path.folderPath
        let draftPath = draft.map { folder + "/" + $0 } ?? "\(path).\(UInt64.random(in: .min ... .max)).draft"
        let file = try createNew(draftPath)
        do {
            do {
                defer { close(file) }
                try writeAll(file, bytes, at: 0)
                if let durability { try sync(file, durability) }
            }
            try rename(draftPath, to: path)
        } catch {
            try? remove(draftPath)
            throw error
        }
        if durability != nil { try syncFolder(folder) }
    }

    package func replace(_ file: URL, with data: Data, durability: SyncDurability? = .barrier) throws(FileError) {
        guard file.isFileURL else { throw FileError(.open, file.absoluteString, EINVAL) }
        try replace(file.path(percentEncoded: false), with: [UInt8](data), durability: durability)
    }
}

extension String {
    package var folderPath: String {
        guard let slash = utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
