/// Files that version 0.2 has written, as a copy that a test may change.
public final class Fixture: Sendable {
    /// Where the copy is.
    public let folder: URL

    /// Copies a folder of `Tests/Fixtures/0.2`.
    public init(_ name: String) throws {
        let manager = FileManager.default
        folder = manager.temporaryDirectory.appending(path: "fixture-\(UUID().uuidString)")
        try manager.copyItem(at: Repository.root.appending(path: "Tests/Fixtures/0.2/\(name)"), to: folder)
        // A checkout has the modes of its umask. Some files of 0.2 could be read by everyone, no folder could be written.
        for path in [""] + (try manager.subpathsOfDirectory(atPath: folder.path)) {
            let url = folder.appending(path: path)
            let isFolder = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true
            try manager.setAttributes([.posixPermissions: isFolder ? 0o700 : 0o644], ofItemAtPath: url.path)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A file of the copy.
    public subscript(name: String) -> URL { folder.appending(path: name) }

    /// The content of a file of the copy.
    public func data(_ name: String) throws -> Data { try Data(contentsOf: self[name]) }
}
