import CoreNetKitEssentials
package import CoreNetKitSystem

/// Identifies this device, distinct from one restored from its backup, and tells whether its protected data is readable.
///
/// The identifier is the machine id on Linux, and a file excluded from backups on Apple platforms. Like all app data, that file
/// cannot be read before the first unlock, when other stores look empty.
package final class DeviceIdentifier: Sendable {
    package static let shared: DeviceIdentifier = {
        #if canImport(Darwin)
            let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
            if let folder { try? PosixFiles().makeFolder(folder.path(percentEncoded: false)) }
            let file = folder?.appending(path: "CoreNetKit.device.json").path(percentEncoded: false)
            return DeviceIdentifier(file: file, files: PosixFiles())
        #else
            return DeviceIdentifier {
                guard let bytes = try? PosixFiles().content(of: "/etc/machine-id", isOwn: false) else { return nil }
                let text = String(decoding: bytes, as: UTF8.self).trimmed
                return text.isEmpty ? nil : text.stableHash
            }
        #endif
    }()

    /// `nil` before the identifier was read, `.some(nil)` if there is none.
    private let known = Locked(String??.none)
    private let load: @Sendable () throws -> String?

    private init(load: @escaping @Sendable () throws -> String?) { self.load = load }

    /// Creates an identifier in a file, which is written if it is missing.
    package convenience init(file: String?, files: any FileOperations) {
        self.init {
            // An existing file that cannot be read throws; one that cannot be written does not prevent reading.
            guard let file else { return nil }
            _ = try files.content(of: file)
            return try? FileStore(path: file, files: files).transaction { store in
                if let identifier = try store.string(for: "device") { return identifier }
                let identifier = UUID().uuidString
                try store.set(identifier, for: "device")
                return identifier
            }
        }
    }

    /// The identifier; `nil` if there is none, or if it cannot be read now.
    package var current: String? { (try? read()) ?? nil }

    /// Whether data that the system protects until the first unlock can be read now.
    package var isReadable: Bool {
        do {
            _ = try read()
            return true
        } catch {
            return false
        }
    }

    /// Reads the identifier once: data that was readable stays readable until the device restarts.
    private func read() throws -> String? {
        try known.withLock { known in
            if let identifier = known { return identifier }
            let identifier = try load()
            known = .some(identifier)
            return identifier
        }
    }
}
