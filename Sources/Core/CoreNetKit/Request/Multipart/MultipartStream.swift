import CoreNetKitEssentials
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A part of a multipart body.
enum MultipartSegment: Sendable {
    case bytes(Data)
    case file(File, length: Int64)

    struct File: Sendable {
        let path: String
        let partName: String
    }
}

/// A multipart body, read piece by piece; each iteration starts from the beginning.
struct MultipartStream: AsyncSequence, Sendable {
    typealias Failure = any Error

    let segments: [MultipartSegment]

    func makeAsyncIterator() -> Iterator { Iterator(rest: segments[...]) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: ArraySlice<MultipartSegment>
        private var open: (file: OpenFile, left: Int64)?

        fileprivate init(rest: ArraySlice<MultipartSegment>) { self.rest = rest }

        mutating func next() async throws -> Data? {
            try Task.checkCancellation()
            while true {
                if let (file, left) = open {
                    let chunk = left > 0 ? try file.read(upTo: Int(Swift.min(left, 65_536))) : Data()
                    open = left > Int64(chunk.count) ? (file, left - Int64(chunk.count)) : nil
                    if !chunk.isEmpty { return chunk }
                    continue
                }
                switch rest.popFirst() {
                case nil: return nil
                case .bytes(let data) where data.isEmpty: continue
                case .bytes(let data): return data
                case .file(let file, let length): open = (try OpenFile(file), length)
                }
            }
        }
    }
}

extension MultipartSegment.File {
    /// The file's size now; more than this is never sent, and less fails the request.
    func size() throws(RequestEncodingError) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { throw failure("cannot be read: " + String(cString: strerror(errno))) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure("is not a regular file") }
        guard access(path, R_OK) == 0 else { throw failure("cannot be read: " + String(cString: strerror(errno))) }
        return Int64(status.st_size)
    }

    fileprivate func failure(_ reason: String) -> RequestEncodingError {
        .init("the file \(path) \(reason)")
    }
}

/// A descriptor that is closed when the iteration ends or is abandoned.
private final class OpenFile {
    private let file: MultipartSegment.File
    private let descriptor: Int32

    init(_ file: MultipartSegment.File) throws {
        self.file = file
        descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw file.failure("cannot be read: " + String(cString: strerror(errno))).under(file.partName)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    func read(upTo limit: Int) throws -> Data {
        var chunk = Data(count: limit)
        let count = chunk.withUnsafeMutableBytes { buffer in
            var count: Int
            repeat {
                count = systemRead(descriptor, buffer.baseAddress, limit)
            } while count < 0 && errno == EINTR
            return count
        }
        guard count >= 0 else {
            throw file.failure("cannot be read: " + String(cString: strerror(errno))).under(file.partName)
        }
        guard count > 0 else { throw file.failure("became shorter while it was sent").under(file.partName) }
        return count == limit ? chunk : chunk.prefix(count)
    }
}

/// `read(2)`, which is hidden inside a type with its own `read`.
private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ limit: Int) -> Int {
    read(descriptor, buffer, limit)
}
