import CoreNetKitEssentials
import CoreNetKitSystem

/// A part of a multipart body.
enum MultipartSegment: Sendable {
    case bytes(Data)
    /// A file of a part, with its length if it is known.
    case file(path: String, partName: String, length: Int64?)
}

/// A multipart body, read piece by piece; each iteration starts from the beginning, with a copy of it.
struct MultipartStream: AsyncSequence, AsyncIteratorProtocol {
    private var rest: ArraySlice<MultipartSegment>
    private var open: (file: PartFile, left: Int64?)?

    init(segments: [MultipartSegment]) { rest = segments[...] }

    func makeAsyncIterator() -> MultipartStream { self }

    mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        while true {
            if let (file, left) = open {
                let chunk = try file.read(before: left)
                open = chunk.isEmpty ? nil : (file, left.map { $0 - Int64(chunk.count) })
                if !chunk.isEmpty { return chunk }
                continue
            }
            switch rest.popFirst() {
            case nil: return nil
            case .bytes(let data) where data.isEmpty: continue
            case .bytes(let data): return data
            case .file(let path, let name, let length): open = (try PartFile(path, partName: name), length)
            }
        }
    }
}

/// An open file, which is closed when the iteration ends or is abandoned.
final class PartFile {
    private let files = PosixFiles()
    private let opened: OpenFile
    private let partName: String
    private var offset = 0

    init(_ path: String, partName: String) throws {
        self.partName = partName
        do { opened = try files.openNamed(path) } catch { throw Self.unreadable(error).under(partName) }
    }

    deinit { files.close(opened) }

    /// The size of a file, which must not change while it is sent; `nil` if it is unknown, as of files in `/proc`.
    static func size(of path: String) throws(RequestEncodingError) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(FileError(.status, path, errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(path, "is not a regular file") }
        guard access(path, R_OK) == 0 else { throw unreadable(FileError(.open, path, errno)) }
        guard status.st_size == 0, let file = try? PartFile(path, partName: ""),
            (try? file.read(before: nil))?.isEmpty == false
        else { return Int64(status.st_size) }
        return nil
    }

    private static func unreadable(_ error: FileError) -> RequestEncodingError {
        failure(error.path, "cannot be read: \(error.reason)")
    }

    private static func failure(_ path: String, _ reason: String) -> RequestEncodingError {
        .init("the file \(path) \(reason)")
    }

    /// Reads the next bytes, at most 64 KiB, none at the end; `left` is the exact number that remains, if it is known.
    func read(before left: Int64?) throws -> Data {
        let limit = left.map { Int(min($0, 65_535)) + 1 } ?? 65_536
        var chunk = Data(count: limit)
        let result = chunk.withUnsafeMutableBytes { buffer in
            Result { () throws(FileError) in try files.read(opened, into: buffer, at: offset) }
        }
        let count: Int
        do { count = try result.get() } catch { throw Self.unreadable(error).under(partName) }
        offset += count
        if let left, (count == 0 && left > 0) || count > left {
            let change = count == 0 ? "shorter" : "longer"
            throw Self.failure(opened.path, "became \(change) while it was sent").under(partName)
        }
        return count == limit ? chunk : chunk.prefix(count)
    }
}
