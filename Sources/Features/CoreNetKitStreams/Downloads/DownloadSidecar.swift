package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// What is kept beside the part of a file, so that another process can go on with it.
package struct DownloadSidecar: Codable, Equatable {
    package var version = 1
    /// For whoever looks at the file; without secrets.
    package var url: String
    /// Which origin and path were asked, as a hash.
    package var place: String?
    package var validator: DownloadValidator?
    package var total: Int?
    /// How many bytes are on the disk, whatever happens to the machine.
    package var synced = 0
    /// Since when the machine runs: what a killed process has written is there as long as the machine is.
    package var boot: String
    /// Which stretches several requests load; version 2.
    package var plan: SegmentPlan?

    package init(url: String, place: String? = nil, validator: DownloadValidator?, total: Int?, boot: String) {
        (self.url, self.place, self.validator, self.total, self.boot) = (url, place, validator, total, boot)
    }

    /// What names a resource: origin and path, for its query may be a signature that is new each time.
    package static func place(of url: URL) -> String {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? url.path
        return Hex.encode(SHA256.digest(Array("\(Origin(url))\n\(path)".utf8)))
    }

    /// What can be used of a part, as far as the sidecar tells.
    package func held(of size: Int, boot: String) -> DownloadHeld {
        guard version == 1, validator != nil, total.map({ size <= $0 }) ?? true else { return DownloadHeld() }
        let isSameRun = !boot.isEmpty && boot == self.boot
        return DownloadHeld(size: isSameRun ? size : min(size, synced), total: total, validator: validator)
    }

    /// What can be used of a part that several requests load, as far as the sidecar tells.
    package func plan(of size: Int, boot: String) -> SegmentPlan? {
        // The sidecar says what the part is to be before the part is made as long.
        guard version == 2, validator != nil, let plan, plan.isSound, plan.total == total,
            plan.segments.allSatisfy({ $0.done == 0 || $0.start + $0.done <= size })
        else { return nil }
        return !boot.isEmpty && boot == self.boot ? plan : plan.onDisk()
    }

    /// A text that changes with each start of the machine; empty where there is none.
    static func currentBoot(_ files: any FileOperations) -> String {
        // Files of this kind have no size.
        guard let file = try? files.open("/proc/sys/kernel/random/boot_id", .read) else { return "" }
        defer { files.close(file) }
        let bytes = (try? files.readAll(file, count: 64)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
