#if os(Linux)
    import CNetCurl
    import CoreNetKitEssentials
    import CoreNetKitHTTP
    import CoreNetKitSystem

    /// Reads a body's sequence in its own task, ahead by at most a bounded buffer, and gives it to libcurl.
    final class UploadPump: Sendable {
        /// The maximum number of bytes read ahead.
        static let capacity = 256 << 10

        fileprivate struct State {
            /// Chunks before `first` are sent, and stay until a task drops them: that may run their owner's code.
            var chunks: [Data] = []
            var first = 0
            var offset = 0
            var waiting = 0
            var total: Int64 = 0
            var isEnded = false
            var trailers: [Headers.Field] = []
            var failure: UploadSource.Failure?
            /// libcurl has paused until there is more.
            var wantsMore = false
            var writer: UnsafeContinuation<Bool, Never>?
            /// The current reading of the sequence: older ones are ignored.
            var turn = 0
            var task: Task<Void, Never>?
            var wake: (@Sendable () -> Void)?
        }

        let length: Int64?
        private let trailers: [RequestBody.Trailer]
        private let isReplayable: Bool
        private let open: @Sendable () -> any AsyncSequence<Data, any Error>
        fileprivate let state = Locked(State())

        init(
            length: Int64?,
            trailers: [RequestBody.Trailer] = [],
            isReplayable: Bool,
            open: @escaping @Sendable () -> any AsyncSequence<Data, any Error>
        ) {
            self.length = length
            self.trailers = trailers
            self.isReplayable = isReplayable
            self.open = open
        }

        /// Starts reading; `wake` is called when libcurl has paused and there is more.
        func start(wake: @escaping @Sendable () -> Void) {
            stop()
            state.withLock { state in
                let turn = state.turn
                let earlier = state.task
                state.wake = wake
                state.task = Task.detached {
                    earlier?.cancel()
                    await self.run(turn)
                }
            }
        }

        func restart() -> Bool {
            guard isReplayable, let wake = state.withLock({ $0.wake }) else { return false }
            start(wake: wake)
            return true
        }

        /// Ends the reading without running the user's code: that is left to ``release()``.
        func stop() {
            let writer = state.withLock { state in
                // All but the task and the chunks, which are not dropped here.
                let old = state
                state = State()
                (state.turn, state.task) = (old.turn + 1, old.task)
                (state.chunks, state.first) = (old.chunks, old.chunks.count)
                return old.writer
            }
            writer?.resume(returning: false)
        }

        /// Ends the reader's task and drops the unsent content, once nothing is sent any more.
        func release() {
            stop()
            let (task, chunks) = state.withLock { state in
                let old = (state.task, state.chunks)
                (state.task, state.chunks, state.first) = (nil, [], 0)
                return old
            }
            task?.cancel()
            withExtendedLifetime(chunks) {}
        }

        private func run(_ turn: Int) async {
            do {
                for try await chunk in open() where !chunk.isEmpty { guard await write(chunk, turn) else { return } }
                finish(turn, nil, try trailers.map { trailer in try trailer.field() })
            } catch let error as TransportError where error.code == .requestBodyFailed {
                finish(turn, (error.code, error.message))
            } catch {
                finish(turn, (.requestBodyFailed, "the body's sequence failed: \(error)"))
            }
        }

        /// Adds a chunk and waits for room; `false` ends the reading.
        private func write(_ chunk: Data, _ turn: Int) async -> Bool {
            withExtendedLifetime(state.withLock { $0.takeSent() }) {}
            let goesOn = await withUnsafeContinuation { continuation in
                let (wake, reply) = state.withLock { state in
                    state.write(chunk, turn, length, continuation)
                }
                wake?()
                if let reply { continuation.resume(returning: reply) }
            }
            cnc_task_resumed()
            return goesOn
        }

        private func finish(_ turn: Int, _ failure: UploadSource.Failure?, _ trailers: [Headers.Field] = []) {
            let wake = state.withLock { state in
                guard state.turn == turn, state.failure == nil else { return (@Sendable () -> Void)?.none }
                state.isEnded = true
                state.trailers = trailers
                state.failure = failure
                if failure == nil, let length, state.total < length {
                    let message = "the body has \(state.total) bytes, declared were \(length)"
                    state.failure = (.bodyLengthMismatch, message)
                }
                return state.takeWake()
            }
            wake?()
        }

        func read(into buffer: UnsafeMutableRawPointer, count: Int) -> UploadSource.Reply {
            let (reply, writer) = state.withLock { state -> (UploadSource.Reply, UnsafeContinuation<Bool, Never>?) in
                if let failure = state.failure { return (.failure(failure), nil) }
                // The last byte of a promised length waits for the end of the sequence: so an excess byte is noticed.
                let isHeldBack = length != nil && state.total == length && !state.isEnded
                let readable = min(count, state.waiting - (isHeldBack ? 1 : 0))
                guard readable > 0 else {
                    if state.isEnded { return (.end, nil) }
                    state.wantsMore = true
                    return (.pause, nil)
                }
                state.copy(to: buffer, count: readable)
                guard state.waiting <= UploadPump.capacity / 2, let writer = state.writer else {
                    return (.bytes(readable), nil)
                }
                state.writer = nil
                return (.bytes(readable), writer)
            }
            writer?.resume(returning: true)
            return reply
        }
    }

    extension UploadPump.State {
        fileprivate typealias Wake = @Sendable () -> Void

        /// Removes the sent chunks, to be dropped outside the lock.
        fileprivate mutating func takeSent() -> ArraySlice<Data> {
            guard first > 0 else { return [] }
            let sent = chunks[..<first]
            chunks = Array(chunks[first...])
            first = 0
            return sent
        }

        fileprivate mutating func takeWake() -> Wake? {
            guard wantsMore else { return nil }
            wantsMore = false
            return wake
        }

        /// Adds a chunk; the second result is `nil` if the writer has to wait.
        fileprivate mutating func write(
            _ chunk: Data,
            _ turn: Int,
            _ length: Int64?,
            _ continuation: UnsafeContinuation<Bool, Never>
        ) -> (Wake?, Bool?) {
            guard turn == self.turn, failure == nil else { return (nil, false) }
            total += Int64(chunk.count)
            if let length, total > length {
                failure = (.bodyLengthMismatch, "the body has more than the declared \(length) bytes")
                return (takeWake(), false)
            }
            chunks.append(chunk)
            waiting += chunk.count
            let wake = takeWake()
            guard waiting >= UploadPump.capacity else { return (wake, true) }
            writer = continuation
            return (wake, nil)
        }

        fileprivate mutating func copy(to buffer: UnsafeMutableRawPointer, count: Int) {
            var done = 0
            while done < count {
                let part = min(count - done, chunks[first].count - offset)
                chunks[first].withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { (buffer + done).copyMemory(from: base + offset, byteCount: part) }
                }
                done += part
                offset += part
                guard offset == chunks[first].count else { continue }
                (first, offset) = (first + 1, 0)
            }
            waiting -= count
        }
    }

    /// Content that libcurl asks for piece by piece while sending.
    enum UploadSource {
        case none
        case data(Data, offset: Int)
        case pump(UploadPump)

        typealias Failure = (code: TransportError.Code, message: String)

        enum Reply {
            case bytes(Int)
            case end, pause
            case failure(Failure)
        }

        /// The source of a body, whose file is already open if it has one.
        init(_ body: RequestBody, _ file: UploadFile?, _ worker: FileWorker) throws(TransportError) {
            if !body.trailers.isEmpty {
                try FieldCheck.check(trailersOf: body)
                guard CurlLibrary.capabilities.contains(.requestTrailers) else {
                    throw CurlFailure.unsent(
                        .unsupported,
                        "the installed nghttp2 cannot send the trailers of a request"
                    )
                }
            }
            switch body.content {
            case .empty: self = .none
            case .bytes(let data): self = .data(data, offset: 0)
            case .file:
                guard let file else {
                    self = .none
                    return
                }
                self = .pump(
                    UploadPump(length: file.length, isReplayable: true) { FilePieces(file: file, worker: worker) }
                )
            case .stream(let length, let isReplayable, let open, let trailers):
                guard length.map({ $0 >= 0 }) ?? true else {
                    throw FieldCheck.invalid("the body's length is below zero; nil means unknown")
                }
                self = .pump(UploadPump(length: length, trailers: trailers, isReplayable: isReplayable, open: open))
            }
        }

        /// The trailers, once all of the content was read.
        var trailers: [Headers.Field] { if case .pump(let pump) = self { pump.state.withLock(\.trailers) } else { [] } }

        /// The total number of bytes; `nil` sends chunked.
        var length: Int64? {
            switch self {
            case .none: 0
            case .data(let data, _): Int64(data.count)
            case .pump(let pump): pump.length
            }
        }

        func start(wake: @escaping @Sendable () -> Void) { if case .pump(let pump) = self { pump.start(wake: wake) } }

        func stop() { if case .pump(let pump) = self { pump.stop() } }

        /// Releases a sequence and its unsent content; runs the user's code.
        func release() { if case .pump(let pump) = self { pump.release() } }

        mutating func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Reply {
            switch self {
            case .none: return .end
            case .data(let data, let offset):
                let copied = min(count, data.count - offset)
                guard copied > 0 else { return .end }
                data.withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { buffer.copyMemory(from: base + offset, byteCount: copied) }
                }
                self = .data(data, offset: offset + copied)
                return .bytes(copied)
            case .pump(let pump): return pump.read(into: buffer, count: count)
            }
        }

        /// Goes back to the start, to send again; `false` if that is impossible.
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
