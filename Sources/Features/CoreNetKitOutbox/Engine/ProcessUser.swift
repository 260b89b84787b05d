#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The process that this is.
enum ProcessUser {
    static var process: Int32 { getpid() }
}
