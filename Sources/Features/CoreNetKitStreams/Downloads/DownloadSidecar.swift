package import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// What is stored beside an incomplete file, so that another process can resume.
package struct DownloadSidecar: Codable, Equatable {
    package var version = 1
    /// The URL, for people who look at the file; without secrets.
    package var url: String
    /// A hash of the origin and path of the request.
    package var place: String?
    package var validator: DownloadValidator?
    package var total: Int?
    /// How many bytes are synced to the disk, and so survive a crash of the machine.
    package var synced = 0
    /// The boot id of the machine: bytes written by a killed process are safe until the machine restarts.
    package var boot: String
    /// The segments that several requests load; version 2.
    package var plan: SegmentPlan?

    package init(url: String, place: String? = nil, validator: DownloadValidator?, total: Int?, boot: String) {
        (self.url, self.place, self.validator, self.total, self.boot) = (url, place, validator, total, boot)
    }

    /// A hash of the resource: origin and path, because the query may be a signature that is new each time.
    package static func resourceHash(of url: URL) -> String {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? url.path
        return Hex.encode(SHA256.digest(Array("\(Origin(url))\n\(path)".utf8)))
    }

    /// What one request can use of a part, according to the sidecar.
    package func held(of size: Int, boot: String) -> HeldContent {
        guard version == 1, validator != nil, total.map({ size <= $0 }) ?? true else { return HeldContent() }
        let isSameRun = !boot.isEmpty && boot == self.boot
        return HeldContent(size: isSameRun ? size : min(size, synced), total: total, validator: validator)
    }

    /// What several requests can use of a part, according to the sidecar.
    package func plan(of size: Int, boot: String) -> SegmentPlan? {
        // The sidecar is stored before the part gets its full length.
        guard version == 2, validator != nil, let plan, plan.isSound, plan.total == total,
            plan.segments.allSatisfy({ $0.done == 0 || $0.start + $0.done <= size })
        else { return nil }
        return !boot.isEmpty && boot == self.boot ? plan : plan.onDisk()
    }

    /// A text that changes with each start of the machine; empty if there is none.
    static func currentBoot(_ files: any FileOperations) -> String {
        // Files in `/proc` report no size.
        guard let file = try? files.open("/proc/sys/kernel/random/boot_id", .read) else { return "" }
        defer { files.close(file) }
        let bytes = (try? files.readAll(file, count: 64)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }
}
