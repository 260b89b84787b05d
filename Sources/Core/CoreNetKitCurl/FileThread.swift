#if os(Linux)
    import CoreNetKitHTTP
    import CoreNetKitSystem
    import CNetCurl
    import CNetEpoll
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// One thread for a transport's files, so that a slow disk delays neither exchanges nor tasks.
    ///
    /// It starts with the first file, and ends when this object is released.
    final class FileThread: Sendable {
        private let line: Line

        init() { line = Line() }

        deinit { line.close() }

        /// Runs the work on the thread, after earlier work.
        ///
        /// - Throws: What the work throws, or `TransportError` if there is no thread.
        func run<Value: Sendable>(
            _ work: @escaping @Sendable () throws(TransportError) -> Value
        ) async throws(TransportError) -> Value {
            let result = await withUnsafeContinuation {
                (continuation: UnsafeContinuation<Result<Value, TransportError>, Never>) in
                let isTaken = line.append {
                    let result: Result<Value, TransportError>
                    do throws(TransportError) { result = .success(try work()) } catch { result = .failure(error) }
                    continuation.resume(returning: result)
                }
                if !isTaken { continuation.resume(returning: .failure(CurlFailure.outOfMemory)) }
            }
            cnc_task_resumed()
            return try result.get()
        }
    }

    extension FileThread {
        /// The work, in order; the thread holds it as long as the thread lives.
        private final class Line: Sendable {
            private struct State {
                var work: [@Sendable () -> Void] = []
                var isStarted = false
                var isClosed = false
            }

            private let state = Locked(State())
            /// Incremented when there is work; the thread reads it, and sleeps while it is zero.
            private let bell = eventfd(0, Int32(EFD_CLOEXEC))

            deinit { _ = Glibc.close(bell) }

            func append(_ work: @escaping @Sendable () -> Void) -> Bool {
                let isTaken = state.withLock { state in
                    guard bell >= 0, state.isStarted || startThread() else { return false }
                    state.isStarted = true
                    state.work.append(work)
                    return true
                }
                if isTaken { ring() }
                return isTaken
            }

            func close() {
                state.withLock { $0.isClosed = true }
                ring()
            }

            private func ring() {
                var one: UInt64 = 1
                _ = write(bell, &one, MemoryLayout<UInt64>.size)
            }

            private func startThread() -> Bool {
                DetachedThread.start {
                    cnc_thread_begin(nil)
                    self.serve()
                }
            }

            private func serve() {
                while true {
                    let (work, isClosed) = state.withLock { state in
                        defer { state.work = [] }
                        return (state.work, state.isClosed)
                    }
                    for item in work { item() }
                    if !work.isEmpty { continue }
                    if isClosed { return }
                    var count: UInt64 = 0
                    _ = read(bell, &count, MemoryLayout<UInt64>.size)
                }
            }
        }
    }
#endif
