import CoreNetKitEssentials

import CoreNetKitSystem

/// What tells this device from another one on which its backup was restored.
package enum DeviceMark {
    /// The mark of this device; `nil` where there is none.
    ///
    /// On Linux it is the machine's own id, on Apple platforms a file that is left out of backups.
    package static let current: String? = {
        #if canImport(Darwin)
            guard let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            else { return nil }
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let store = FileStore(file: folder.appending(path: "CoreNetKit.device.json"))
            return try? store.transaction { store in
                if let mark = try store.string(for: "device") { return mark }
                let mark = UUID().uuidString
                try store.set(mark, for: "device")
                return mark
            }
        #else
            guard let bytes = try? PosixFiles().content(of: "/etc/machine-id") else { return nil }
            let text = String(decoding: bytes, as: UTF8.self).trimmed
            return text.isEmpty ? nil : StableHash.name(of: text)
        #endif
    }()
}
