#if os(Linux)
    import CoreNetKitHTTP
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import Glibc

    /// An open file that is sent as content.
    final class UploadFile: Sendable {
        let length: Int64
        private let descriptor: Int32

        /// - Throws: ``TransportError`` with code `requestBodyFailed` when the file cannot be read.
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
            length = Int64(status.st_size)
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        }

        deinit { close(descriptor) }

        func read(into buffer: UnsafeMutableRawPointer, count: Int, at offset: Int64) -> UploadSource.Answer {
            let wanted = min(Int64(count), length - offset)
            guard wanted > 0 else { return .end }
            while true {
                let copied = pread(descriptor, buffer, Int(wanted), off_t(offset))
                if copied > 0 { return .bytes(copied) }
                if copied == 0 {
                    return .failure(.tooShort(offset, of: length))
                }
                guard errno == EINTR else {
                    let reason = CurlFailure.systemText(errno)
                    return .failure(
                        .init(code: .requestBodyFailed, message: "the body's file cannot be read: \(reason)")
                    )
                }
            }
        }

        private static func failed(_ message: String) -> TransportError {
            TransportError(.requestBodyFailed, phase: .queue, message: message)
        }
    }
#endif
