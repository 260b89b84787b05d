#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitEssentials
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Content that libcurl asks for piece by piece while sending.
    enum UploadSource {
        case none
        case data(Data, offset: Int)
        case pump(UploadPump)

        /// Why content could not be provided.
        struct Failure {
            let code: TransportError.Code
            let message: String

            static func tooShort(_ count: Int64, of length: Int64) -> Failure {
                .init(code: .bodyLengthMismatch, message: "the body has \(count) bytes, declared were \(length)")
            }

            static func tooLong(of length: Int64) -> Failure {
                .init(code: .bodyLengthMismatch, message: "the body has more than the declared \(length) bytes")
            }
        }

        /// The result of one read.
        enum Reply {
            case bytes(Int)
            case end
            case pause
            case failure(Failure)
        }

        /// The source of a body, whose file is already open if it has one.
        init(_ body: RequestBody, _ file: UploadFile?, _ thread: FileThread) throws(TransportError) {
            switch body.content {
            case .empty: self = .none
            case .bytes(let data): self = .data(data, offset: 0)
            case .file:
                guard let file else {
                    self = .none
                    return
                }
                self = .pump(
                    UploadPump(length: file.length, isReplayable: true) { FilePieces(file: file, thread: thread) }
                )
            case .stream(let length, let isReplayable, let open):
                guard length.map({ $0 >= 0 }) ?? true else {
                    throw FieldCheck.invalid("the body's length is below zero; nil means unknown")
                }
                self = .pump(UploadPump(length: length, isReplayable: isReplayable, open: open))
            }
        }

        /// The total number of bytes; `nil` sends chunked.
        var length: Int64? {
            switch self {
            case .none: 0
            case .data(let data, _): Int64(data.count)
            case .pump(let pump): pump.length
            }
        }

        /// Starts reading a sequence; `wake` is called when libcurl has paused and there is more.
        func start(wake: @escaping @Sendable () -> Void) {
            if case .pump(let pump) = self { pump.start(wake: wake) }
        }

        /// Ends the reading of a sequence, once nothing more will be sent; called on the owner thread.
        func stop() {
            if case .pump(let pump) = self { pump.stop() }
        }

        /// Releases a sequence and what was read of it; runs the user's code.
        func release() {
            if case .pump(let pump) = self { pump.release() }
        }

        /// Fills the buffer with the next bytes.
        mutating func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Reply {
            switch self {
            case .none: return .end
            case .data(let data, let offset):
                let copied = min(count, data.count - offset)
                guard copied > 0 else { return .end }
                data.withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { memcpy(buffer, base + offset, copied) }
                }
                self = .data(data, offset: offset + copied)
                return .bytes(copied)
            case .pump(let pump): return pump.read(into: buffer, count: count)
            }
        }

        /// Goes back to the start, to send again.
        ///
        /// - Returns: Whether that is possible.
        mutating func rewind() -> Bool {
            switch self {
            case .none: break
            case .data(let data, _): self = .data(data, offset: 0)
            case .pump(let pump): return pump.restart()
            }
            return true
        }
    }
#endif
