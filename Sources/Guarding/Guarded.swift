#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Synchronization)
    import Synchronization
#endif

#if canImport(Glibc) || canImport(Musl)
    /// A value that is only reachable while its lock is held.
    ///
    /// Not `Mutex`, because the thread sanitizer cannot see through it on Linux.
    public final class Guarded<State>: @unchecked Sendable {
        // Sendable by the mutex: the state is touched only between lock and unlock.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var state: State

        /// Guards a value.
        public init(_ state: sending State) {
            self.state = state
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deinitialize(count: 1)
            mutex.deallocate()
        }

        /// Works on the value while nobody else can; the body must not call out.
        ///
        /// - Parameter body: The work.
        /// - Returns: What the work gives.
        /// - Throws: What the work throws.
        public func withLock<Result, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state)
        }
    }
#else
    /// A value that is only reachable while its lock is held.
    public final class Guarded<State: Sendable>: Sendable {
        private let mutex: Mutex<State>

        /// Guards a value.
        public init(_ state: State) { mutex = Mutex(state) }

        /// Works on the value while nobody else can; the body must not call out.
        ///
        /// - Parameter body: The work.
        /// - Returns: What the work gives.
        /// - Throws: What the work throws.
        public func withLock<Result: Sendable, Failure: Error>(
            _ body: (inout State) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try mutex.withLock { (state) throws(Failure) in try body(&state) }
        }
    }
#endif
