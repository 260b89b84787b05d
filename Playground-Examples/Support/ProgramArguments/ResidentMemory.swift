#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The resident memory of this process, in units of 1024 bytes; 0 where there is no `/proc`.
package enum ResidentMemory {
    package static var kilobytes: Int { status("VmRSS:") }
    package static var peakKilobytes: Int { status("VmHWM:") }

    private static func status(_ name: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { return 0 }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 8192)
        let count = fread(&bytes, 1, bytes.count, file)
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
}
