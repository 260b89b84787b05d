// The C library under one name: importing this module imports it.

#if canImport(Glibc)
    @_exported public import Glibc
#elseif canImport(Musl)
    @_exported public import Musl
#else
    @_exported public import Darwin
#endif

/// A value that can be reached only while its lock is held.
///
/// `pthread_mutex`, because the thread sanitizer cannot see through `Synchronization.Mutex` on Linux; the same on all
/// platforms, so that code accepted on one is accepted on the others. State and mutex share one allocation. Inlined,
/// because generic code of another module costs a type look-up at each call; and usable from inline itself, with a
/// public import: without both, callers silently get no copy of the code.
@usableFromInline package struct Locked<State>: @unchecked Sendable {
    // Sendable by the mutex: the state is touched only between lock and unlock.
    @usableFromInline final class Storage: ManagedBuffer<State, pthread_mutex_t> {
        @inlinable deinit {
            // Only the mutex: the buffer itself destroys its header, the state.
            withUnsafeMutablePointerToElements { _ = pthread_mutex_destroy($0) }
        }
    }

    @usableFromInline let storage: ManagedBuffer<State, pthread_mutex_t>

    @inlinable @inline(__always) package init(_ state: sending State) {
        storage = Storage.create(minimumCapacity: 1) { _ in state }
        storage.withUnsafeMutablePointerToElements { mutex in
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }
    }

    @inlinable @inline(__always) package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // With pointers: the lock already excludes concurrent access, and the exclusivity check has its price.
        try storage.withUnsafeMutablePointers { (state, mutex) throws(Failure) in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&state.pointee)
        }
    }

    /// The present state.
    ///
    /// A state that is a function is read with this: `withLock` would store it again in another wrapper of the compiler, and
    /// without optimization each call through all of them takes longer, until the stack ends.
    @inlinable package var value: State {
        storage.withUnsafeMutablePointers { state, mutex in
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return state.pointee
        }
    }

    /// Shows the thread sanitizer the order of a continuation: called before it is resumed, and when its task runs again.
    @inlinable package func synchronize() { withLock { _ in } }

    package func withLockIfFree<Result>(_ body: (inout State) -> Result) -> Result? {
        storage.withUnsafeMutablePointers { state, mutex in
            guard pthread_mutex_trylock(mutex) == 0 else { return nil }
            defer { pthread_mutex_unlock(mutex) }
            return body(&state.pointee)
        }
    }

    /// Gives the lock away while `body` runs; the caller holds it, and holds it again afterwards.
    package func withLockReleased<Result>(_ body: () -> Result) -> Result {
        storage.withUnsafeMutablePointerToElements { mutex in
            pthread_mutex_unlock(mutex)
            defer { pthread_mutex_lock(mutex) }
            return body()
        }
    }
}

extension Locked where State == Bool {
    /// Sets it, and returns whether it was unset before: that is true once.
    package func set() -> Bool {
        withLock { isSet in
            defer { isSet = true }
            return !isSet
        }
    }
}
