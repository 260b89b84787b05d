package import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension WallMoment {
    /// The moment on this machine, with a given date as the wall clock's.
    package static func machine(at date: Date) -> WallMoment {
        WallMoment(wall: date.milliseconds, steady: sinceBoot, boot: thisBoot)
    }

    /// Milliseconds since the machine started, including time asleep.
    private static var sinceBoot: Int64 {
        #if os(Linux)
            var time = timespec()
            clock_gettime(CLOCK_BOOTTIME, &time)
            return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
        #else
            return Int64(clamping: clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW) / 1_000_000)
        #endif
    }

    /// A number for this start of this machine; for this process alone if the system does not provide one.
    private static let thisBoot: UInt64 = {
        guard let name = bootName, !name.isEmpty else { return .random(in: 1 ... .max) }
        let digest = SHA256.digest(name).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return max(digest, 1)
    }()

    private static var bootName: [UInt8]? {
        #if os(Linux)
            let files = PosixFiles()
            // A file in `/proc` reports no size.
            guard let file = try? files.open("/proc/sys/kernel/random/boot_id", .read) else { return nil }
            defer { files.close(file) }
            return try? files.readAll(file, count: 64)
        #else
            var bytes = [UInt8](repeating: 0, count: 64)
            var count = bytes.count
            guard sysctlbyname("kern.bootsessionuuid", &bytes, &count, nil, 0) == 0 else { return nil }
            return Array(bytes.prefix(count))
        #endif
    }
}
