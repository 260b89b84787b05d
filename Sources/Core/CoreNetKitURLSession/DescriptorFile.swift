import CoreNetKitSystem
import Foundation

/// A file that is closed with its last reference; used because `FileHandle` traps on a full disk.
final class DescriptorFile: Sendable {
    private let files = PosixFiles()
    private let file: OpenFile
    /// Where the next bytes are appended.
    private let end = Locked(0)

    init(reading path: String) throws(FileError) { file = try files.openNamed(path) }

    /// Creates a file that must not exist yet, and that only this user can read.
    init(creating path: String) throws(FileError) { file = try files.open(path, .create) }

    deinit { files.close(file) }

    static func temporary() throws(FileError) -> (DescriptorFile, path: String) {
        let name = "CoreNetKit.\(UInt64.random(in: .min ... .max))"
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        return (try DescriptorFile(creating: path), path)
    }

    /// Creates a temporary file without a name: it disappears with its descriptor, even if the process crashes.
    static func unnamed() throws(FileError) -> DescriptorFile {
        let (file, path) = try temporary()
        try? file.files.remove(path)
        return file
    }

    var regularSize: Int64? {
        guard let status = try? files.status(of: file), status.kind == .file else { return nil }
        return Int64(status.size)
    }

    func append(_ data: Data) throws(FileError) {
        try end.withLock { end throws(FileError) in
            try files.writeAll(file, data, at: end)
            end += data.count
        }
    }

    func read(at offset: Int64, count: Int) throws(FileError) -> Data {
        var data = Data(count: count)
        let read = data.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try files.readAll(file, into: buffer, at: Int(offset)) }
        }
        guard try read.get() == count else { throw FileError(.read, file.path, EIO) }
        return data
    }

    func clear() throws(FileError) {
        try end.withLock { end throws(FileError) in
            try files.truncate(file, to: 0)
            end = 0
        }
    }
}
