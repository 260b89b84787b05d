import TestSupport

/// What this process has open; other suites run in it too, so everything is counted by what it belongs to.
enum OpenDescriptors {
    /// Sockets that listen on a port of IPv4 or were accepted there.
    static func count(onPort port: Int) -> Int {
        (0..<min(getdtablesize(), 65_536)).count { descriptor in
            var name = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &name) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            return result == 0 && Int32(name.sin_family) == AF_INET && Int(UInt16(bigEndian: name.sin_port)) == port
        }
    }

    /// Descriptors whose link below `/proc` contains a text; 0 on systems without it.
    static func count(linkedTo text: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target?.contains(text) == true
        }
    }
}
