#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// An open file that is sent as content; used only on the file thread.
    final class UploadFile: Sendable {
        /// `nil` for content of unknown length, as that of files in `/proc`, which say that they have none.
        let length: Int64?
        private let descriptor: Int32

        /// - Throws: `TransportError` with code `requestBodyFailed` when the file cannot be read.
        init(_ url: URL) throws(TransportError) {
            guard url.isFileURL else { throw UploadFile.failed("the body's file is not named by a file URL") }
            let path = url.path
            descriptor = open(path, O_RDONLY | O_CLOEXEC)
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
                let reason = CurlFailure.systemText(errno)
                if descriptor >= 0 { close(descriptor) }
                throw UploadFile.failed("the body's file cannot be opened: \(reason)")
            }
            guard status.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw UploadFile.failed("the body's file is not a regular file")
            }
            var byte: UInt8 = 0
            let isUnknown = status.st_size == 0 && pread(descriptor, &byte, 1, 0) > 0
            length = isUnknown ? nil : Int64(status.st_size)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }

        deinit { close(descriptor) }

        /// Reads a piece; `nil` at the end, also if the file has become shorter.
        ///
        /// A byte more than the length, if there is one: then the file has become longer, and the request fails.
        func read(at offset: Int64) throws(TransportError) -> Data? {
            let wanted = Int(min(Int64(UploadFile.pieceSize), length.map { max(0, $0 - offset) + 1 } ?? .max))
            guard let piece = malloc(wanted) else { throw UploadFile.failed("no memory for the body's file") }
            while true {
                let count = pread(descriptor, piece, wanted, off_t(offset))
                if count > 0 { return Data(bytesNoCopy: piece, count: count, deallocator: .free) }
                if count < 0, errno == EINTR { continue }
                let reason = count < 0 ? CurlFailure.systemText(errno) : nil
                free(piece)
                guard let reason else { return nil }
                throw UploadFile.failed("the body's file cannot be read: \(reason)")
            }
        }

        private static let pieceSize = 128 << 10

        private static func failed(_ message: String) -> TransportError {
            TransportError(.requestBodyFailed, phase: .queue, message: message)
        }
    }

    /// The pieces of a file, read on the file thread.
    struct FilePieces: AsyncSequence {
        typealias Element = Data

        let file: UploadFile
        let thread: FileThread

        struct Iterator: AsyncIteratorProtocol {
            fileprivate let pieces: FilePieces
            private var offset: Int64 = 0

            fileprivate init(pieces: FilePieces) { self.pieces = pieces }

            mutating func next() async throws -> Data? {
                let (file, offset) = (pieces.file, offset)
                let piece = try await pieces.thread.run { () throws(TransportError) in try file.read(at: offset) }
                self.offset += Int64(piece?.count ?? 0)
                return piece
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
    }
#endif
