/// The file system as seen by storing code: one function per system call.
///
/// It is the only way in which the libraries create files and folders, which belong to this user alone: a link at the end
/// of a path is not followed, another user's file is neither continued nor replaced, and a file opened for writing has the
/// mode 0600 from then on.
///
/// The seam for faults: tests stop a program after any call, drop unsynced data, or fill the disk; the real one is
/// ``PosixFiles``. Every call may block: call from a ``FileQueue``. Reads and writes may be short, like the system's;
/// `readAll` and `writeAll` continue until everything is done.
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
    func sync(_ file: OpenFile, _ strength: SyncStrength) throws(FileError)
    /// Stores a folder's names so that they survive a loss of power.
    func syncFolder(_ path: String) throws(FileError)
    /// Truncates a file, or extends it with zeros.
    func truncate(_ file: OpenFile, to count: Int) throws(FileError)
    /// Renames a file, and replaces a file of this user that has the new name.
    func rename(_ path: String, to newPath: String) throws(FileError)
    /// Removes a name.
    func remove(_ path: String) throws(FileError)
    /// Gives a file a second name; an existing name is an error.
    func link(_ path: String, as newPath: String) throws(FileError)
    /// Takes the file's lock if it is free, without waiting; it ends with the file's `close` or with the process.
    func tryLock(_ file: OpenFile) throws(FileError) -> Bool
    /// Releases the lock and keeps the file open.
    func unlock(_ file: OpenFile)
    /// What is at a path, without following links; `nil` if nothing is.
    func status(of path: String) throws(FileError) -> FileStatus?
    /// The current status of an open file; it has no names once it was removed.
    func status(of file: OpenFile) throws(FileError) -> FileStatus
    /// The names in a folder, sorted, without those that begin with a dot.
    func list(_ path: String) throws(FileError) -> [String]
    /// Creates a folder that only its owner may enter; an existing one is an error.
    func makeFolder(_ path: String) throws(FileError)
}

/// How a file is opened.
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
package enum SyncStrength: Sendable {
    /// A loss of power, as far as the system promises: `fdatasync`, on Apple platforms `F_BARRIERFSYNC`.
    case barrier
    /// A loss of the drive's own cache too, if that is another call: `F_FULLFSYNC`. On Linux the same as the barrier.
    case full
}

/// An open file, and the path by which it was opened.
package struct OpenFile: Hashable, Sendable {
    package let number: Int32
    package let path: String

    package init(number: Int32, path: String) {
        self.number = number
        self.path = path
    }
}

/// The status of a path or an open file.
package struct FileStatus: Hashable, Sendable {
    /// The kinds that matter.
    package enum Kind: Sendable { case file, folder, link, other }

    package var kind: Kind
    package var size: Int
    package var owner: UInt32
    /// The nine permission bits for reading, writing and entering.
    package var permissions: UInt32
    /// The number of its names; 0 if it was removed while open.
    package var names: Int
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
