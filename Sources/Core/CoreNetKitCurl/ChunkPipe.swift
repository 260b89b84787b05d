#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CoreNetKitEssentials
    import CNetCurl

    /// The chunks of a streamed response between the owner thread and its reader; there should be only one reader.
    final class ChunkPipe: Sendable {
        /// The maximum number of bytes that wait for the reader; beyond it the connection is not read.
        static let capacity = 256 << 10

        typealias Wake = @Sendable () -> Void

        fileprivate struct State {
            var chunks: [Data] = []
            var first = 0
            var unread = 0
            var readers: [UnsafeContinuation<Data?, any Error>] = []
            /// Told once when there is something to take.
            var wake: Wake?
            /// How the content ended; `nil` while more may arrive.
            var end: Result<Void, any Error>?
            var wantsRoom = false
        }

        private let state = Locked(State())

        var isEnded: Bool { state.withLock { $0.end != nil } }

        var isComplete: Bool {
            state.withLock { state in
                if case .success = state.end { true } else { false }
            }
        }

        var unread: Int { state.withLock(\.unread) }

        /// On the owner thread: gives the reader a chunk, or keeps it; returns the bytes that wait.
        func deliver(_ chunk: Data) -> Int {
            let (reader, wake, unread) = state.withLock { state in
                if !state.readers.isEmpty { return (Optional(state.readers.removeFirst()), Wake?.none, state.unread) }
                state.chunks.append(chunk)
                state.unread += chunk.count
                return (nil, state.wake.take(), state.unread)
            }
            reader?.resume(returning: chunk)
            wake?()
            return unread
        }

        /// On the owner thread: whether half of the room is free; if not, requests a notification.
        func wantRoom() -> Bool {
            state.withLock { state in
                state.wantsRoom = state.unread > ChunkPipe.capacity / 2
                return !state.wantsRoom
            }
        }

        /// Ends the content, with an error where it is not complete; only the first end counts.
        func finish(_ failure: (any Error)?) {
            let (readers, wake) = state.withLock { state -> ([UnsafeContinuation<Data?, any Error>], Wake?) in
                guard state.end == nil else { return ([], nil) }
                state.end = failure.map { .failure($0) } ?? .success(())
                defer { state.readers = [] }
                return (state.readers, state.wake.take())
            }
            for reader in readers {
                if let failure { reader.resume(throwing: failure) } else { reader.resume(returning: nil) }
            }
            wake?()
        }

        func cancelReaders() {
            let readers = state.withLock { state in
                defer { state.readers = [] }
                return state.readers
            }
            for reader in readers { reader.resume(throwing: CancellationError()) }
        }

        /// The next chunk, `nil` at the end; calls `hasRoom` when the loop waits for room and there is some.
        func next(hasRoom: @Sendable () -> Void) async throws -> Data? {
            defer { cnc_task_resumed() }
            return try await withUnsafeThrowingContinuation { continuation in
                let (outcome, wantedRoom) = state.withLock { state in
                    let next = state.next()
                    if next.0 == nil { state.readers.append(continuation) }
                    return next
                }
                if wantedRoom { hasRoom() }
                if let outcome { continuation.resume(with: outcome) }
            }
        }

        func take(hasRoom: () -> Void) -> Result<Data?, any Error>? {
            cnc_task_resumed()
            let (outcome, wantedRoom) = state.withLock { state in state.next() }
            if wantedRoom { hasRoom() }
            return outcome
        }

        /// Calls `wake` on the owner thread as soon as there is something to take; `false` where there is.
        func registerWaker(_ wake: @escaping Wake) -> Bool {
            state.withLock { state in
                guard state.end == nil, state.first == state.chunks.count else { return false }
                state.wake = wake
                return true
            }
        }
    }

    extension ChunkPipe.State {
        /// The reader's next result, `nil` when it has to wait; and whether the loop waits for the room that this made.
        fileprivate mutating func next() -> (Result<Data?, any Error>?, Bool) {
            guard first < chunks.count else { return (end.map { end in end.map { nil } }, false) }
            let chunk = chunks[first]
            chunks[first] = Data()
            first += 1
            if first == chunks.count {
                chunks.removeAll(keepingCapacity: true)
                first = 0
            }
            unread -= chunk.count
            let wantedRoom = wantsRoom && unread <= ChunkPipe.capacity / 2
            if wantedRoom { wantsRoom = false }
            return (.success(chunk), wantedRoom)
        }
    }
#endif
