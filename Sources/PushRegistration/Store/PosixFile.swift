#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The steps of a ``FileStore`` on the file system.
enum PosixFile {
    private static let drafts = Locked(0)

    /// The content of a file; `nil` only when there is no such file.
    static func read(_ path: String) throws -> Data? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw failure("opening", path)
        }
        defer { close(file) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { SystemCall.read(file, $0.baseAddress, $0.count) }
            if count > 0 {
                data.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                return data
            } else if errno != EINTR {
                throw failure("reading", path)
            }
        }
    }

    /// Writes a new file with its own permissions from the start, and puts it in the place of the old one.
    static func replace(_ path: String, with data: Data) throws {
        let number = drafts.withLock { number in
            number += 1
            return number
        }
        // A name of its own, so that no two writers fill one draft.
        let draft = "\(path).\(getpid()).\(number).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("opening", draft) }
        do {
            defer { close(file) }
            try data.withUnsafeBytes { bytes in
                var offset = 0
                while offset < bytes.count {
                    let count = write(file, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                    if count > 0 { offset += count } else if errno != EINTR { throw failure("writing", draft) }
                }
            }
            guard fchmod(file, 0o600) == 0, fsync(file) == 0 else { throw failure("finishing", draft) }
        } catch {
            unlink(draft)
            throw error
        }
        try move(draft, to: path)
        leaveOutOfBackups(path)
    }

    /// Renames a file, durably.
    static func move(_ path: String, to place: String) throws {
        guard rename(path, place) == 0 else {
            let problem = failure("replacing", place)
            if path.hasSuffix(".new") { unlink(path) }
            throw problem
        }
        let folder = place.lastIndex(of: "/").map { $0 == place.startIndex ? "/" : String(place[..<$0]) } ?? "."
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure("opening", folder) }
        defer { close(directory) }
        // Some file systems have no fsync of folders; they say EINVAL.
        guard fsync(directory) == 0 || errno == EINVAL else { throw failure("finishing", folder) }
    }

    static func failure(_ step: String, _ path: String) -> FileStore.Failure {
        let code = errno
        return FileStore.Failure(description: "\(step) \(path) failed: \(String(cString: strerror(code)))", code: code)
    }

    private static func leaveOutOfBackups(_ path: String) {
        #if canImport(Darwin)
            var file = URL(filePath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? file.setResourceValues(values)
        #endif
    }
}

/// A lock that instances and processes share: a file beside the store, empty for ever.
struct FileLock {
    private let file: Int32

    init(_ path: String) throws {
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw PosixFile.failure("opening", path) }
        while flock(file, LOCK_EX) != 0 {
            guard errno == EINTR else {
                let problem = PosixFile.failure("locking", path)
                close(file)
                throw problem
            }
        }
    }

    func release() { close(file) }
}

/// `read` of the system, which the function above hides.
private enum SystemCall {
    static func read(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            Darwin.read(file, buffer, count)
        #elseif canImport(Glibc)
            Glibc.read(file, buffer, count)
        #elseif canImport(Musl)
            Musl.read(file, buffer, count)
        #endif
    }
}
