import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// The content of an upload, in parts that the server may request again.
enum UploadContent {
    case file(String, FileIdentity, any FileOperations)
    case bytes(Data)
    case stream(UploadWindow)

    /// The maximum number of bytes held in memory, where the method does not set one.
    static let window = 4 << 20

    init(_ body: RequestBody, _ files: any FileOperations, on worker: FileWorker) async throws(UploadError) {
        guard body.trailers.isEmpty else {
            throw UploadError(.unusableContent, "an upload that resumes has no trailers: its requests are parts")
        }
        switch body.content {
        case .empty: self = .bytes(Data())
        case .bytes(let data): self = .bytes(data)
        case .file(let url):
            let path = url.path(percentEncoded: false)
            do throws(FileError) {
                let identity = try await worker.run { () throws(FileError) in try FileIdentity.of(path, files) }
                let bytes = try await worker.run { () throws(FileError) in
                    identity.size == 0 ? try Self.unsized(path, files) : []
                }
                self = bytes.isEmpty ? .file(path, identity, files) : .bytes(Data(bytes))
            } catch {
                throw UploadError(.fileFailed, error.description)
            }
        case .stream(let length, let isReplayable, let open, _):
            let size = length.flatMap { Int(exactly: $0) }
            guard length == nil || (size ?? -1) >= 0 else {
                throw UploadError(.unusableContent, "a stream cannot be \(length ?? 0) bytes long")
            }
            self = .stream(UploadWindow(size: size, isReplayable: isReplayable, open: open))
        }
    }

    /// The content of a file of reported size 0, such as those in `/proc`.
    private static func unsized(_ path: String, _ files: any FileOperations) throws(FileError) -> [UInt8] {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        guard try files.status(of: file).kind == .file else { return [] }
        var bytes: [UInt8] = []
        while true {
            let piece = try files.readAll(file, at: bytes.count, count: 1 << 18)
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    /// The size; `nil` for a stream of unknown length whose end was not reached.
    var size: Int? {
        switch self {
        case .file(_, let identity, _): identity.size
        case .bytes(let data): data.count
        case .stream(let window): window.size
        }
    }

    /// The identity of the file when the upload began, for the journal.
    var identity: FileIdentity? { if case .file(_, let identity, _) = self { identity } else { nil } }

    /// The method for this content: for a stream, and with a checksum, one request carries no more than is held in memory.
    func limited(_ method: UploadMethod) -> UploadMethod {
        if method.checksum == nil, !isStream { return method }
        var method = method
        method.chunk = method.chunk ?? Self.window
        return method
    }

    private var isStream: Bool { if case .stream = self { true } else { false } }

    /// Reads a stream one byte past a range, no further: it may end there.
    mutating func probeEnd(after range: Range<Int>) async throws {
        guard case .stream(var window) = self else { return }
        defer { self = .stream(window) }
        try await window.probeEnd(after: range)
    }

    /// The bytes of a range as the body of a request, and the slice if they are read from a file meanwhile.
    mutating func slice(_ range: Range<Int>) async throws -> (body: RequestBody, file: FileSlice?) {
        // A `.queryOffset` request has no range; for a stream of declared size 0, the end is verified.
        if range.isEmpty, !(isStream && size == 0) { return (.bytes(Data()), nil) }
        switch self {
        case .file(let path, let identity, let files):
            let slice = FileSlice(path: path, range: range, files: files, identity: identity, hasChanged: Locked(false))
            return (slice.body, slice)
        case .bytes(let data):
            let start = data.startIndex
            return (.bytes(Data(data[start + range.lowerBound..<start + range.upperBound])), nil)
        case .stream(var window):
            defer { self = .stream(window) }
            return (.bytes(try await window.bytes(range)), nil)
        }
    }
}

/// A stream that is read once, from the start; its last bytes are kept until the server has them.
struct UploadWindow {
    /// The size; `nil` until the end is reached if the stream does not declare it.
    private(set) var size: Int?
    let isReplayable: Bool
    let open: @Sendable () -> any AsyncSequence<Data, any Error>
    fileprivate var iterator: (any AsyncIteratorProtocol<Data, any Error>)?
    /// The offset of the kept bytes.
    fileprivate var start = 0
    fileprivate var kept = Data()
    fileprivate var hasEnded = false

    /// The bytes of a range; earlier ones are released, and after the last range the stream must end: more would be missing.
    mutating func bytes(_ range: Range<Int>) async throws -> Data {
        try await read(range.upperBound == size ? range.lowerBound..<range.upperBound + 1 : range)
        let end = start + kept.count
        guard end >= range.upperBound else {
            throw UploadError(.unusableContent, "the stream ended at byte \(end) of \(size ?? range.upperBound)")
        }
        guard end <= size ?? end else {
            throw UploadError(.unusableContent, "the stream is longer than \(size ?? end) bytes")
        }
        return Data(kept.prefix(range.count))
    }

    /// Reads one byte past a range: a stream that has none there ends with the range or before.
    mutating func probeEnd(after range: Range<Int>) async throws {
        guard size == nil else { return }
        if try await read(range.lowerBound..<range.upperBound + 1) == false { size = start + kept.count }
    }

    /// Keeps the bytes of a range, as far as they exist; returns whether all of them do.
    @discardableResult
    private mutating func read(_ range: Range<Int>) async throws -> Bool {
        if range.lowerBound < start {
            guard isReplayable else {
                throw UploadError(.unusableContent, "the server asks for bytes of the stream that are gone")
            }
            (iterator, start, kept, hasEnded) = (nil, 0, Data(), false)
        }
        while start < range.lowerBound || start + kept.count < range.upperBound {
            let passed = min(range.lowerBound - start, kept.count)
            (kept, start) = (Data(kept.dropFirst(passed)), start + passed)
            guard start + kept.count < range.upperBound else { break }
            guard let chunk = try await next() else { return false }
            kept += chunk
        }
        return true
    }

    private mutating func next() async throws -> Data? {
        guard !hasEnded else { return nil }
        var open = iterator ?? self.open().makeAsyncIterator()
        defer { iterator = open }
        let chunk = try await open.next(isolation: nil)
        hasEnded = chunk == nil
        return chunk
    }
}

struct FileIdentity: Codable, Hashable, Sendable {
    let size: Int
    /// Nanoseconds since 1970.
    let modified: Int64
    let inode: UInt64

    init(_ status: FileStatus) { (size, modified, inode) = (status.size, status.modifiedExactly, status.inode) }

    static func of(_ path: String, _ files: any FileOperations) throws(FileError) -> FileIdentity {
        let file = try files.open(path, .read)
        defer { files.close(file) }
        return FileIdentity(try files.status(of: file))
    }
}

/// A part of a file as the body of a request; fails if the file has changed, which is checked before and after each piece.
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

    var body: RequestBody {
        range.isEmpty ? .bytes(Data()) : .stream(length: Int64(range.count), isReplayable: true) { self }
    }

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
