import CoreNetKitSystem
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file by its descriptor, closed with its last reference; used because `FileHandle` traps on a full disk.
final class DescriptorFile: Sendable {
    private let descriptor: Int32
    private let path: String

    init(reading path: String) throws(FileError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(.open, path, errno) }
    }

    /// Creates a file that must not exist yet, and that only this user can read.
    init(creating path: String) throws(FileError) {
        self.path = path
        descriptor = try PosixFiles().open(path, .create).number
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Creates a file that only this user can read.
    static func temporary() throws(FileError) -> (DescriptorFile, path: String) {
        let name = "CoreNetKit.\(UInt64.random(in: .min ... .max))"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        return (try DescriptorFile(creating: path), path)
    }

    /// Creates a temporary file without a name: it disappears with its descriptor, even if the process crashes.
    static func unnamed() throws(FileError) -> DescriptorFile {
        let (file, path) = try temporary()
        unlink(path)
        return file
    }

    /// The size, if this is a regular file.
    var regularSize: Int64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    func append(_ data: Data) throws(FileError) {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 {
                if errno == EINTR { continue }
                throw FileError(.write, path, errno)
            }
            rest = rest.dropFirst(written)
        }
    }

    func read(at offset: Int64, count: Int) throws(FileError) -> Data {
        var data = Data(count: count)
        var done = 0
        while done < count {
            let read = data.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + done }, count - done, off_t(offset) + off_t(done))
            }
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw FileError(.read, path, read < 0 ? errno : EIO) }
            done += read
        }
        return data
    }

    /// Truncates the file to start again.
    func clear() throws(FileError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw FileError(.truncate, path, errno)
        }
    }
}
