#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Who runs this process.
enum ProcessUser {
    static var effective: UInt32 { geteuid() }
    static var process: Int32 { getpid() }
}
