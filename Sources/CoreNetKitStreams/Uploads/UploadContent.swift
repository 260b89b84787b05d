import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// What an upload sends, in parts that the server may ask for once more.
enum UploadContent {
    case file(String, FileMark, any FileOperations)
    case bytes(Data)
    case stream(UploadWindow)

    /// The most bytes that are in memory at once where they must be, and the method does not say.
    static let window = 4 << 20

    /// Opens a body.
    ///
    /// - Throws: ``UploadError`` with code `unusableContent` for a stream without a length, `fileFailed`.
    init(_ body: RequestBody, _ files: any FileOperations, on worker: FileWorker) async throws(UploadError) {
        switch body.content {
        case .empty: self = .bytes(Data())
        case .bytes(let data): self = .bytes(data)
        case .file(let url):
            let path = url.path(percentEncoded: false)
            do throws(FileError) {
                let mark = try await worker.run { () throws(FileError) in try FileMark.of(path, files) }
                self = .file(path, mark, files)
            } catch {
                throw UploadError(.fileFailed, error.description)
            }
        case .stream(let length, let isReplayable, let open):
            guard let length, length >= 0, let size = Int(exactly: length) else {
                throw UploadError(.unusableContent, "the stream does not say how long it is")
            }
            self = .stream(UploadWindow(size: size, isReplayable: isReplayable, open: open))
        }
    }

    var size: Int {
        switch self {
        case .file(_, let mark, _): mark.size
        case .bytes(let data): data.count
        case .stream(let window): window.size
        }
    }

    /// The file, as it was when the upload began: what a journal can name.
    var mark: FileMark? { if case .file(_, let mark, _) = self { mark } else { nil } }

    /// The method for this content: of a stream, and with a checksum, no more than is in memory goes with one request.
    func limited(_ method: UploadMethod) -> UploadMethod {
        if method.checksum == nil, !isStream { return method }
        return method.limited(to: method.chunk ?? Self.window)
    }

    private var isStream: Bool { if case .stream = self { true } else { false } }

    /// The bytes of a range.
    mutating func slice(_ range: Range<Int>) async throws -> UploadSlice {
        // A request that asks has no place in the content.
        if range.isEmpty { return UploadSlice(body: .bytes(Data())) }
        switch self {
        case .file(let path, let mark, let files):
            let slice = FileSlice(path: path, range: range, files: files, mark: mark, hasChanged: Locked(false))
            return UploadSlice(body: slice.body, file: slice)
        case .bytes(let data):
            let start = data.startIndex
            return UploadSlice(body: .bytes(Data(data[start + range.lowerBound..<start + range.upperBound])))
        case .stream(var window):
            defer { self = .stream(window) }
            return UploadSlice(body: .bytes(try await window.bytes(range)))
        }
    }
}

/// The body of one request of an upload.
struct UploadSlice: Sendable {
    let body: RequestBody
    var file: FileSlice?

    /// Whether the file turned out to be another one: what the transport makes of that does not tell.
    var hasChanged: Bool { file?.hasChanged.withLock { $0 } ?? false }

    /// The same in memory.
    func read() async throws -> (UploadSlice, Data) {
        if case .bytes(let data) = body.content { return (self, data) }
        var data = Data()
        if let file { for try await piece in file { data += piece } }
        return (UploadSlice(body: .bytes(data), file: file), data)
    }
}

/// A stream that is read once, from the front, of which the last bytes are kept until the server has them.
struct UploadWindow {
    let size: Int
    let isReplayable: Bool
    let open: @Sendable () -> any AsyncSequence<Data, any Error>
    private var iterator: (any AsyncIteratorProtocol<Data, any Error>)?
    /// Where the kept bytes begin.
    private var start = 0
    private var kept = Data()

    init(size: Int, isReplayable: Bool, open: @escaping @Sendable () -> any AsyncSequence<Data, any Error>) {
        (self.size, self.isReplayable, self.open) = (size, isReplayable, open)
    }

    /// The bytes of a range; what is before it is let go.
    ///
    /// - Throws: ``UploadError`` with code `unusableContent` where the stream is shorter or longer than it said, or would have
    ///   to be read a second time and cannot; what the stream throws.
    mutating func bytes(_ range: Range<Int>) async throws -> Data {
        if range.lowerBound < start {
            guard isReplayable else {
                throw UploadError(.unusableContent, "the server asks for bytes of the stream that are gone")
            }
            (iterator, start, kept) = (nil, 0, Data())
        }
        while start < range.lowerBound || start + kept.count < range.upperBound {
            let passed = min(range.lowerBound - start, kept.count)
            (kept, start) = (Data(kept.dropFirst(passed)), start + passed)
            guard start + kept.count < range.upperBound else { break }
            guard let chunk = try await next() else {
                throw UploadError(.unusableContent, "the stream ended at byte \(start + kept.count) of \(size)")
            }
            kept += chunk
        }
        guard start + kept.count <= size else {
            throw UploadError(.unusableContent, "the stream is longer than \(size) bytes")
        }
        return Data(kept.prefix(range.count))
    }

    private mutating func next() async throws -> Data? {
        var open = iterator ?? self.open().makeAsyncIterator()
        defer { iterator = open }
        return try await open.next(isolation: nil)
    }
}
