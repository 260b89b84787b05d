import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The identity of a file when its upload began.
struct FileIdentity: Codable, Hashable, Sendable {
    let size: Int
    /// Nanoseconds since 1970.
    let modified: Int64
    let inode: UInt64

    init(_ status: FileStatus) {
        (size, modified, inode) = (status.size, status.modifiedExactly, status.inode)
    }

    /// Reads the identity of a file.
    static func of(_ path: String, _ files: any FileOperations) throws(FileError) -> FileIdentity {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        return FileIdentity(try files.status(of: file))
    }
}

/// A part of a file as the body of a request, read on a thread of its own while it is sent.
///
/// It fails if the file has changed, which is checked before and after each piece.
struct FileSlice: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let path: String
    let range: Range<Int>
    let files: any FileOperations
    let identity: FileIdentity
    /// Set when the file has changed: the transport's error does not show that.
    let hasChanged: Locked<Bool>

    struct Iterator: AsyncIteratorProtocol {
        let slice: FileSlice
        let worker = FileWorker("upload")
        var place: Int

        mutating func next() async throws -> Data? {
            let (slice, start) = (slice, place)
            guard start < slice.range.upperBound else { return nil }
            let bytes = try await worker.run { try slice.piece(at: start) }
            place += bytes.count
            return Data(bytes)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(slice: self, place: range.lowerBound) }

    /// The body of a request.
    var body: RequestBody {
        range.isEmpty ? .bytes(Data()) : .stream(length: Int64(range.count), isReplayable: true) { self }
    }

    /// All of its bytes.
    func read() async throws -> Data {
        var data = Data()
        for try await piece in self { data += piece }
        return data
    }

    private func piece(at start: Int) throws -> [UInt8] {
        do throws(FileError) {
            let file = try files.open(path, .read)
            defer { files.close(file) }
            let before = FileIdentity(try files.status(of: file))
            let bytes = try files.readAll(file, at: start, count: Swift.min(1 << 18, range.upperBound - start))
            if before == identity, !bytes.isEmpty, FileIdentity(try files.status(of: file)) == identity { return bytes }
        } catch {
            guard error.isMissing else { throw error }
        }
        hasChanged.withLock { $0 = true }
        throw UploadError(.fileChanged, "the file was changed after its upload began")
    }
}
