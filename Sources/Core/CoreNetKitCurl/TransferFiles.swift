#if os(Linux)
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// An open file that is sent as content; used only on the transport's queue for files.
    final class UploadFile: Sendable {
        /// `nil` for content of unknown length, as that of files in `/proc`, which say that they have none.
        let length: Int64?
        private let file: OpenFile

        init(_ url: URL) throws(TransportError) {
            guard url.isFileURL else { throw UploadFile.failed("the body's file is not named by a file URL") }
            do throws(FileError) { file = try PosixFiles().openNamed(url.path) } catch {
                throw UploadFile.failed("the body's file cannot be opened: \(error.reason)")
            }
            guard let status = try? PosixFiles().status(of: file), status.kind == .file else {
                PosixFiles().close(file)
                throw UploadFile.failed("the body's file is not a regular file")
            }
            let isUnknown = status.size == 0 && (try? PosixFiles().readAll(file, count: 1))?.isEmpty == false
            length = isUnknown ? nil : Int64(status.size)
            posix_fadvise(file.number, 0, 0, POSIX_FADV_SEQUENTIAL)
        }

        deinit { PosixFiles().close(file) }

        /// Reads a piece, to a byte beyond the length, which shows that the file has become longer; `nil` at the end.
        func read(at offset: Int64) throws(TransportError) -> Data? {
            let wanted = Int(min(Int64(UploadFile.pieceSize), length.map { max(0, $0 - offset) + 1 } ?? .max))
            guard let piece = malloc(wanted) else { throw UploadFile.failed("no memory for the body's file") }
            do throws(FileError) {
                let room = UnsafeMutableRawBufferPointer(start: piece, count: wanted)
                let count = try PosixFiles().read(file, into: room, at: Int(offset))
                if count > 0 { return Data(bytesNoCopy: piece, count: count, deallocator: .free) }
                free(piece)
                return nil
            } catch {
                free(piece)
                throw UploadFile.failed("the body's file cannot be read: \(error.reason)")
            }
        }

        private static let pieceSize = 128 << 10

        private static func failed(_ message: String) -> TransportError {
            CurlFailure.unsent(.requestBodyFailed, message)
        }
    }

    struct FilePieces: AsyncSequence, AsyncIteratorProtocol {
        typealias Element = Data

        let file: UploadFile
        let worker: FileWorker
        var offset: Int64 = 0

        func makeAsyncIterator() -> FilePieces { self }

        mutating func next() async throws -> Data? {
            let (file, offset) = (file, offset)
            let piece = try await worker.run { () throws(TransportError) in try file.read(at: offset) }
            self.offset += Int64(piece?.count ?? 0)
            return piece
        }
    }

    /// A response's file, used on the queue for files: written beside its place, and moved there when complete.
    final class DownloadFile: Sendable {
        let url: URL
        private let file: OpenFile
        private let path: String
        /// The number of written bytes; `nil` once the file is closed.
        private let count = Locked<Int?>(0)

        init(_ url: URL) throws(TransportError) {
            (self.url, path) = (url, url.path)
            func failed(_ reason: String) -> TransportError {
                CurlFailure.unsent(.fileFailed, "the response's file cannot be created: \(reason)")
            }
            guard url.isFileURL else { throw failed("not a file URL") }
            let part = "\(path).\(UInt32.random(in: .min ... .max)).part"
            do throws(FileError) { file = try PosixFiles().open(part, .create) } catch { throw failed(error.reason) }
        }

        deinit { discard() }

        func append(_ content: Data) throws(TransportError) {
            guard let offset = count.withLock({ $0 }) else { return }
            do throws(FileError) { try PosixFiles().writeAll(file, content, at: offset) } catch {
                let message = "the content could not be written: \(error.reason)"
                throw TransportError(.fileFailed, phase: .receive, message: message)
            }
            count.withLock { $0 = offset + content.count }
        }

        /// Moves the complete file to its place, replacing any file there.
        func commit() throws(TransportError) {
            guard count.withLock({ $0.take() }) != nil else { return }
            do throws(FileError) {
                guard close(file.number) == 0 else { throw FileError(.close, file.path, errno) }
                try PosixFiles().rename(file.path, to: path)
            } catch {
                unlink(file.path)
                let message = "the response's file cannot be completed: \(error.reason)"
                throw TransportError(.fileFailed, phase: .receive, message: message)
            }
        }

        /// Removes the incomplete file; no effect after ``commit()``.
        func discard() {
            guard count.withLock({ $0.take() }) != nil else { return }
            PosixFiles().close(file)
            unlink(file.path)
        }
    }
#endif
