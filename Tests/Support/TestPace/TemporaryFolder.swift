/// A folder of its own for one test, removed with the last reference.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// A file of it.
    package subscript(name: String) -> URL { url.appending(path: name) }

    /// Writes a file.
    package func file(_ content: Data, name: String = "content") throws -> URL {
        try content.write(to: self[name])
        return self[name]
    }

    /// The names of its files, sorted.
    package var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
