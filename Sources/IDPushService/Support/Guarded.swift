#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Synchronization)
    import Synchronization
#endif

/// A value that is only reachable while its lock is held.
#if canImport(Glibc) || canImport(Musl)
    final class Guarded<State>: @unchecked Sendable {
        // Sendable by the mutex: the state is touched only between lock and unlock. Not `Mutex`, because the thread
        // sanitizer cannot see through it on Linux.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var state: State

        init(_ state: sending State) {
            self.state = state
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deinitialize(count: 1)
            mutex.deallocate()
        }

        func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state)
        }
    }
#else
    final class Guarded<State: Sendable>: Sendable {
        private let mutex: Mutex<State>

        init(_ state: State) { mutex = Mutex(state) }

        func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { (state) throws(Failure) in try body(&state) }
        }
    }
#endif
