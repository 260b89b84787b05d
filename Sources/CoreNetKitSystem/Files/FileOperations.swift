/// What is asked of the file system by those who keep something: one function for each system call.
///
/// The seam for faults. Tests stop a program after any call, drop what was not synced, fill the disk; the real one is
/// ``PosixFiles``. Every call may block: call from a ``FileQueue``. Reads and writes may be short, as the system's are;
/// `readAll` and `writeAll` go on until everything is done.
package protocol FileOperations: Sendable {
    /// Opens a file for reading and writing, never through a link at its end, and never inherited by other programs.
    func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile
    /// Closes a file and lets go of its lock.
    func close(_ file: OpenFile)
    /// Reads at an offset; 0 at the end of the file.
    func read(_ file: OpenFile, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Writes at an offset; may write less than all.
    func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int
    /// Puts content and length where they outlast a loss of power.
    func sync(_ file: OpenFile, _ strength: SyncStrength) throws(FileError)
    /// Puts a folder's names where they outlast a loss of power.
    func syncFolder(_ path: String) throws(FileError)
    /// Cuts a file, or extends it with zeros.
    func truncate(_ file: OpenFile, to count: Int) throws(FileError)
    /// Gives a file another name, in place of a file that has it.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Removes a name.
    func remove(_ path: String) throws(FileError)
    /// Gives a file a second name; one that is taken is an error.
    func link(_ path: String, as newPath: String) throws(FileError)
    /// Takes the file's lock if nobody has it, without waiting; it ends with the file's `close` or with the process.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool
    /// Lets go of the lock and keeps the file open.
    func unlock(_ file: OpenFile)
    /// What is at a path, links not followed; `nil` for nothing.
    func status(of path: String) throws(FileError) -> FileStatus?
    /// What an open file is now; without names once it was removed.
    func status(of file: OpenFile) throws(FileError) -> FileStatus
    /// The names in a folder, sorted, without those that begin with a dot.
    func list(_ path: String) throws(FileError) -> [String]
    /// Makes a folder that only its owner may enter; one that is there is an error.
    func makeFolder(_ path: String) throws(FileError)
}

/// How a file is opened.
package enum OpenMode: Sendable {
    /// A file that is there, for reading.
    case read
    /// A file that is there.
    case update
    /// A file that is there, or a new one that only its owner may read.
    case updateOrCreate
    /// A new file that only its owner may read; one that is there is an error.
    case create
}

/// What a sync must outlast.
package enum SyncStrength: Sendable {
    /// The end of the machine's power as far as the system promises: `fdatasync`, on Apple platforms `F_BARRIERFSYNC`.
    case barrier
    /// The drive's own cache too, where that is another call: `F_FULLFSYNC`. On Linux the same as the barrier.
    case full
}

/// A file that is open, and the path it was opened by.
package struct OpenFile: Hashable, Sendable {
    package let number: Int32
    package let path: String

    package init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }
}

/// What a path or an open file is.
package struct FileStatus: Hashable, Sendable {
    /// The kinds that matter.
    package enum Kind: Sendable { case file, folder, link, other }

    package var kind: Kind
    package var size: Int
    package var owner: UInt32
    /// The nine bits of who may read, write and enter.
    package var permissions: UInt32
    /// How many names it has; 0 when it was removed while open.
    package var names: Int
    /// Together the file's identity while it exists.
    package var device: UInt64
    package var inode: UInt64
    /// Seconds since 1970.
    package var modified: Int64
    /// The same in nanoseconds, as finely as the file system counts.
    package var modifiedExactly: Int64 = 0

    package init(
        kind: Kind,
        size: Int,
        owner: UInt32,
        permissions: UInt32,
        names: Int,
        device: UInt64,
        inode: UInt64,
        modified: Int64
    ) {
        self.kind = kind
        self.size = size
        self.owner = owner
        self.permissions = permissions
        self.names = names
        self.device = device
        self.inode = inode
        self.modified = modified
    }
}
