#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// This process.
enum ProcessUser {
    static var process: Int32 { getpid() }
}
