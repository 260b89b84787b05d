#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stands still on a file queue while another process has a lock: the system has no lock with a limit of time.
enum Pause {
    static func milliseconds(_ count: UInt32) { usleep(count * 1000) }
}
