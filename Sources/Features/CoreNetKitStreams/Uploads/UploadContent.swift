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
    /// - Throws: ``UploadError`` with code `unusableContent` for a stream of an impossible length, `fileFailed`.
    init(_ body: RequestBody, _ files: any FileOperations, on worker: FileWorker) async throws(UploadError) {
        switch body.content {
        case .empty: self = .bytes(Data())
        case .bytes(let data): self = .bytes(data)
        case .file(let url):
            let path = url.path(percentEncoded: false)
            do throws(FileError) {
                let mark = try await worker.run { () throws(FileError) in try FileMark.of(path, files) }
                let bytes = try await worker.run { () throws(FileError) in
                    mark.size == 0 ? try Self.unsized(path, files) : []
                }
                self = bytes.isEmpty ? .file(path, mark, files) : .bytes(Data(bytes))
            } catch {
                throw UploadError(.fileFailed, error.description)
            }
        case .stream(let length, let isReplayable, let open):
            let size = length.flatMap { Int(exactly: $0) }
            guard length == nil || (size ?? -1) >= 0 else {
                throw UploadError(.unusableContent, "a stream cannot be \(length ?? 0) bytes long")
            }
            self = .stream(UploadWindow(size: size, isReplayable: isReplayable, open: open))
        }
    }

    /// The content of a file that says it is empty, as those in `/proc` do.
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

    /// `nil` for a stream that does not say it and of which the end was not seen.
    var size: Int? {
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

    /// Reads a stream up to the byte behind a range, and no further: there it may have its end.
    mutating func look(for range: Range<Int>) async throws {
        guard case .stream(var window) = self else { return }
        defer { self = .stream(window) }
        try await window.look(for: range)
    }

    /// The bytes of a range.
    mutating func slice(_ range: Range<Int>) async throws -> UploadSlice {
        // A request that asks has no place in the content; of a stream that says it is empty the end is looked for.
        if range.isEmpty, !(isStream && size == 0) { return UploadSlice(body: .bytes(Data())) }
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
    /// `nil` until the stream has ended, where it does not say it.
    private(set) var size: Int?
    let isReplayable: Bool
    let open: @Sendable () -> any AsyncSequence<Data, any Error>
    private var iterator: (any AsyncIteratorProtocol<Data, any Error>)?
    /// Where the kept bytes begin.
    private var start = 0
    private var kept = Data()
    private var hasEnded = false

    init(size: Int?, isReplayable: Bool, open: @escaping @Sendable () -> any AsyncSequence<Data, any Error>) {
        (self.size, self.isReplayable, self.open) = (size, isReplayable, open)
    }

    /// The bytes of a range; what is before it is let go.
    ///
    /// With the last one the stream has to end: what stands behind would be missing from the upload, and nobody would notice.
    /// - Throws: ``UploadError`` with code `unusableContent` where the stream is shorter or longer than it said, or would have
    ///   to be read a second time and cannot; what the stream throws.
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

    /// Reads up to the byte behind a range: a stream that has none there ends with the range, or before.
    ///
    /// - Throws: As ``bytes(_:)``.
    mutating func look(for range: Range<Int>) async throws {
        guard size == nil else { return }
        if try await read(range.lowerBound..<range.upperBound + 1) == false { size = start + kept.count }
    }

    /// Keeps the bytes of a range, as far as there are any; whether all of them are there.
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
