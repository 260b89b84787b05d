import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system said about a file.
struct FileError: Error {
    let number: Int32

    init(_ number: Int32 = errno) { self.number = number }

    var text: String { String(cString: strerror(number)) }
}

/// A file by its descriptor, closed with its last reference; `FileHandle` traps on a full disk.
final class DescriptorFile: Sendable {
    private let descriptor: Int32

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    init(reading path: String) throws(FileError) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError() }
    }

    /// Creates a file that must not exist yet.
    init(creating path: String) throws(FileError) {
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw FileError() }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Creates a file that only this user can read.
    static func temporary() throws(FileError) -> (DescriptorFile, path: String) {
        var template = Array(
            FileManager.default.temporaryDirectory.appendingPathComponent("CoreNetKit.XXXXXX").path.utf8CString
        )
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw FileError() }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (DescriptorFile(descriptor), path)
    }

    /// Creates a temporary file without a name: it is gone with its descriptor, whatever happens to the process.
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
                throw FileError()
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
            guard read > 0 else { throw FileError(read < 0 ? errno : EIO) }
            done += read
        }
        return data
    }

    /// Starts again with an empty file.
    func clear() throws(FileError) {
        guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else { throw FileError() }
    }
}
