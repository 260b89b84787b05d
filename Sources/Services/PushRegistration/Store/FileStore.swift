public import CoreNetKitEssentials
package import CoreNetKitSystem

/// Keeps texts in one JSON file that only its owner can read; several instances and processes may share it.
///
/// A write replaces the whole file, under a lock that all of them take, and then a second copy (`….twin`): if a process
/// dies in between, the disk is full or a file is damaged, one of the two remains. A file that cannot be read is an
/// error; a damaged one is replaced by its copy or, if both are damaged, renamed (`….damaged`). On Apple platforms the
/// files are excluded from backups.
public final class FileStore: KeyValueStore {
    /// A failed system call.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The operation, and why it failed.
        public let description: String
    }

    private let path: String
    private let files: any FileOperations
    private let turn = Locked(())

    /// Creates a store; the first write creates the file, in a directory that must exist.
    public convenience init(file: URL) { self.init(path: file.path(percentEncoded: false), files: PosixFiles()) }

    package init(path: String, files: any FileOperations) {
        (self.path, self.files) = (path, files)
    }

    /// The path of the file.
    public var scope: String? { "file \(path)" }

    /// Reads a text; throws ``Failure`` if the file exists but cannot be read.
    public func string(for key: String) throws -> String? { try transaction { try $0.string(for: key) } }

    /// Writes or removes a text; throws ``Failure`` if the file cannot be replaced.
    public func set(_ value: String?, for key: String) throws { try transaction { try $0.set(value, for: key) } }

    /// Reads and writes in one step, without interference from others; nothing is written if the step throws.
    ///
    /// Throws the step's error, or ``Failure``.
    public func transaction<Result>(_ body: (any KeyValueStore) throws -> Result) throws -> Result {
        try turn.withLock { _ in
            do {
                let lock = try lock()
                defer { files.close(lock) }
                let before = try read()
                let view = InMemoryStore(before)
                let result = try body(view)
                guard view.contents != before else { return result }
                let encoder = JSONEncoder()
                encoder.outputFormatting = .sortedKeys
                let data = try encoder.encode(view.contents)
                try replace(path, with: data)
                try replace(path + ".twin", with: data)
                return result
            } catch let error as FileError {
                throw Failure(description: "\(error)")
            }
        }
    }

    /// Opens and locks the file that instances and processes share: an empty file next to the store.
    private func lock() throws(FileError) -> OpenFile {
        let file = try files.open(path + ".lock", .updateOrCreate)
        do throws(FileError) {
            if try files.tryLock(file) { return file }
            // The lock's owner will finish soon.
            while flock(file.number, LOCK_EX) != 0 {
                guard errno == EINTR else { throw FileError(.lock, file.path, errno) }
            }
            return file
        } catch {
            files.close(file)
            throw error
        }
    }

    private func read() throws(FileError) -> [String: String] {
        let file = try files.content(of: path)
        if let values = file.flatMap(Self.values) { return values }
        if let values = try files.content(of: path + ".twin").flatMap(Self.values) { return values }
        if file != nil {
            try files.rename(path, to: path + ".damaged")
            try files.syncFolder(path.folderPath)
        }
        return [:]
    }

    /// Replaces a file through a draft; the lock makes a draft of an ended process safe to overwrite.
    private func replace(_ path: String, with data: Data) throws(FileError) {
        let name = path.split(separator: "/").last.map { $0 + ".new" } ?? "new"
        try files.replace(path, with: [UInt8](data), draft: name)
        #if canImport(Darwin)
            var file = URL(filePath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            try? file.setResourceValues(values)
        #endif
    }

    private static func values(_ bytes: [UInt8]) -> [String: String]? {
        try? JSONDecoder().decode([String: String].self, from: Data(bytes))
    }
}
