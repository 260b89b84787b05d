#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import CoreNetKitSystem

/// What is kept beside the part of a file, so that another process can go on with it.
package struct DownloadSidecar: Codable, Equatable {
    package var version = 1
    /// For whoever looks at the file; without secrets.
    package var url: String
    package var validator: DownloadValidator?
    package var total: Int?
    /// How many bytes are on the disk, whatever happens to the machine.
    package var synced = 0
    /// Since when the machine runs: what a killed process has written is there as long as the machine is.
    package var boot: String

    package init(url: String, validator: DownloadValidator?, total: Int?, boot: String) {
        (self.url, self.validator, self.total, self.boot) = (url, validator, total, boot)
    }

    /// What can be used of a part, as far as the sidecar tells.
    package func held(of size: Int, boot: String) -> DownloadHeld {
        guard version == 1, validator != nil, total.map({ size <= $0 }) ?? true else { return DownloadHeld() }
        let isSameRun = !boot.isEmpty && boot == self.boot
        return DownloadHeld(size: isSameRun ? size : min(size, synced), total: total, validator: validator)
    }

    /// A text that changes with each start of the machine; empty where there is none.
    static func currentBoot(_ files: any FileOperations) -> String {
        let bytes = (try? files.content(of: "/proc/sys/kernel/random/boot_id", limit: .max)) ?? nil
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
