import CoreNetKitSystem

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension FileOperations {
    /// Takes a file's lock; polls on a file queue while another process has it, because the system has no lock with a
    /// timeout.
    func lock(_ file: OpenFile, within milliseconds: Int) -> Bool {
        for _ in 0..<milliseconds {
            guard let isLocked = try? tryLock(file) else { return false }
            if isLocked { return true }
            usleep(1000)
        }
        return false
    }
}
