package struct PosixFiles: FileOperations {
    package init() {}

    package func open(_ path: String, _ mode: OpenMode) throws(FileError) -> OpenFile {
        let flags =
            switch mode {
            case .read: O_RDONLY
            case .update: O_RDWR
            case .updateOrCreate: O_RDWR | O_CREAT
            case .create: O_RDWR | O_CREAT | O_EXCL
            }
        // Non-blocking, so that a pipe in place of a file is an error later instead of a hang now.
        let number = try repeating(.open, path) { systemOpen(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600) }
        let file = OpenFile(number: number, path: path)
        switch mode {
        case .read, .create: break
        case .update, .updateOrCreate:
            do throws(FileError) { try claim(file) } catch {
                _ = systemClose(number)
                throw error
            }
        }
        return file
    }

    /// Opens a file that the caller names, for reading: also through a link.
    package func openNamed(_ path: String) throws(FileError) -> OpenFile {
        OpenFile(number: try repeating(.open, path) { systemOpen(path, O_RDONLY | O_CLOEXEC, 0) }, path: path)
    }

    /// Checks that an existing file is this user's, and revokes the access of other users.
    private func claim(_ file: OpenFile) throws(FileError) {
        let status = try status(of: file)
        guard status.owner == geteuid() else { throw .foreign(file.path) }
        // Some file systems have no modes.
        if status.permissions & 0o077 != 0 { _ = fchmod(file.number, 0o600) }
    }

    package func close(_ file: OpenFile) {
        // Unlocks explicitly: a starting child process has a copy of the descriptor until it runs its program.
        unlock(file)
        _ = systemClose(file.number)
    }

    package func read(
        _ file: OpenFile,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(FileError) -> Int {
        guard buffer.count > 0 else { return 0 }
        return try repeating(.read, file.path) { pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)) }
    }

    package func write(_ file: OpenFile, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileError) -> Int {
        guard bytes.count > 0 else { return 0 }
        return try repeating(.write, file.path) { pwrite(file.number, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func sync(_ file: OpenFile, _ durability: SyncDurability) throws(FileError) {
        // Never repeated after a failure: the system may have dropped the pages and would report success.
        #if canImport(Darwin)
            // Some file systems support neither call; then plain fsync is the only option.
            let command = durability == .full ? F_FULLFSYNC : F_BARRIERFSYNC
            if fcntl(file.number, command) == 0 { return }
            guard fsync(file.number) == 0 else { throw FileError(.sync, file.path, errno) }
        #else
            guard fdatasync(file.number) == 0 else { throw FileError(.sync, file.path, errno) }
        #endif
    }

    package func syncFolder(_ path: String) throws(FileError) {
        let number = try repeating(.syncFolder, path) { systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        defer { _ = systemClose(number) }
        guard fsync(number) == 0 else {
            // Network file systems cannot sync a folder and say so.
            if errno == EINVAL || errno == ENOTSUP { return }
            throw FileError(.syncFolder, path, errno)
        }
    }

    package func truncate(_ file: OpenFile, to count: Int) throws(FileError) {
        _ = try repeating(.truncate, file.path) { ftruncate(file.number, off_t(count)) }
    }

    package func rename(_ path: String, to newPath: String) throws(FileError) {
        if let there = try status(of: newPath), there.owner != geteuid() { throw .foreign(newPath) }
        _ = try repeating(.rename, path) { systemRename(path, newPath) }
    }

    package func remove(_ path: String) throws(FileError) {
        _ = try repeating(.remove, path) { unlink(path) }
    }

    package func link(_ path: String, as newPath: String) throws(FileError) {
        _ = try repeating(.link, newPath) { systemLink(path, newPath) }
    }

    package func tryLock(_ file: OpenFile) throws(FileError) -> Bool {
        do {
            _ = try repeating(.lock, file.path) { flock(file.number, LOCK_EX | LOCK_NB) }
            return true
        } catch {
            if error.number == EWOULDBLOCK { return false }
            throw error
        }
    }

    package func unlock(_ file: OpenFile) { _ = flock(file.number, LOCK_UN) }

    package func status(of path: String) throws(FileError) -> FileStatus? {
        var status = stat()
        do { _ = try repeating(.status, path) { lstat(path, &status) } } catch {
            if error.isMissing { return nil }
            throw error
        }
        return FileStatus(status)
    }

    package func status(of file: OpenFile) throws(FileError) -> FileStatus {
        var status = stat()
        _ = try repeating(.status, file.path) { fstat(file.number, &status) }
        return FileStatus(status)
    }

    package func list(_ path: String) throws(FileError) -> [String] {
        guard let folder = opendir(path) else { throw FileError(.list, path, errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else {
                guard errno == 0 else { throw FileError(.list, path, errno) }
                return names.sorted()
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                    String(cString: $0)
                }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
    }

    package func makeFolder(_ path: String) throws(FileError) {
        _ = try repeating(.makeFolder, path) { mkdir(path, 0o700) }
    }

    private func repeating<Number: SignedInteger>(
        _ operation: FileError.Operation,
        _ path: String,
        _ call: () -> Number
    ) throws(FileError) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            if errno != EINTR { throw FileError(operation, path, errno) }
        }
    }
}

extension FileStatus {
    fileprivate init(_ status: stat) {
        let kind: Kind =
            switch mode_t(status.st_mode) & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        self.init(
            kind: kind,
            size: Int(status.st_size),
            owner: status.st_uid,
            permissions: UInt32(status.st_mode) & 0o777,
            linkCount: Int(status.st_nlink),
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            modified: Int64(time.tv_sec)
        )
        modifiedExactly = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

// The system's functions, under names that the methods do not hide.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ number: Int32) -> Int32 { close(number) }
private func systemRename(_ path: String, _ newPath: String) -> Int32 { rename(path, newPath) }
private func systemLink(_ path: String, _ newPath: String) -> Int32 { link(path, newPath) }
