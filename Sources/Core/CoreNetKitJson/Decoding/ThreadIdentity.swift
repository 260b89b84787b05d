#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells running threads from one another.
enum ThreadIdentity {
    /// The calling thread; never zero.
    @inline(__always)
    static var current: UInt {
        // A number on some platforms, a pointer on others.
        let thread: pthread_t = pthread_self()
        return withUnsafeBytes(of: thread) { $0.load(as: UInt.self) }
    }
}
