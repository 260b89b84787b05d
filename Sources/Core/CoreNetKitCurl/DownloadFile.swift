#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitEssentials
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// A response's file, used on the file thread: written beside its place, and moved there when complete.
    final class DownloadFile: Sendable {
        let url: URL
        private let descriptor: Int32
        private let path: String
        private let partPath: String
        private let isOpen = Locked(true)

        /// - Throws: `TransportError` with code `fileFailed` when the directory cannot be written to.
        init(_ url: URL) throws(TransportError) {
            self.url = url
            path = url.path
            partPath = "\(path).\(UInt32.random(in: .min ... .max)).part"
            func failed(_ reason: String) -> TransportError {
                let message = "the response's file cannot be created: \(reason)"
                return TransportError(.fileFailed, phase: .queue, message: message)
            }
            guard url.isFileURL else { throw failed("not a file URL") }
            do throws(FileError) { descriptor = try PosixFiles().open(partPath, .create).number } catch {
                throw failed(error.reason)
            }
        }

        deinit { discard() }

        /// Writes the next bytes.
        ///
        /// - Throws: `TransportError` with code `fileFailed`.
        func append(_ content: Data) throws(TransportError) {
            let problem = content.withUnsafeBytes { bytes -> Int32 in
                var done = 0
                while done < bytes.count {
                    let written = write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { return errno }
                    done += written
                }
                return 0
            }
            guard problem != 0 else { return }
            throw TransportError(
                .fileFailed,
                phase: .receive,
                message: "the content could not be written: \(CurlFailure.systemText(problem))"
            )
        }

        /// Moves the complete file to its place, replacing any file there.
        ///
        /// - Throws: `TransportError` with code `fileFailed`.
        func commit() throws(TransportError) {
            guard take() else { return }
            do throws(FileError) {
                guard close(descriptor) == 0 else { throw FileError(.close, partPath, errno) }
                try PosixFiles().rename(partPath, to: path)
            } catch {
                unlink(partPath)
                throw TransportError(
                    .fileFailed,
                    phase: .receive,
                    message: "the response's file cannot be completed: \(error.reason)"
                )
            }
        }

        /// Removes what was written; no effect after ``commit()``.
        func discard() {
            guard take() else { return }
            close(descriptor)
            unlink(partPath)
        }

        private func take() -> Bool {
            isOpen.withLock { isOpen in
                defer { isOpen = false }
                return isOpen
            }
        }
    }
#endif
