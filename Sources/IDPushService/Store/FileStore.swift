#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif
import Guarding

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeps texts in one JSON file that only its owner can read.
///
/// A write replaces the file as a whole: a process that dies on the way leaves the old file behind. Use one instance for
/// each file and process.
public final class FileStore: KeyValueStore {
    /// A system call that failed.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What was tried, and why it failed.
        public let description: String
    }

    private let path: Guarded<String>

    /// Creates a store; the file is made by the first write, in a directory that must be there.
    public init(file: URL) { path = Guarded(file.path(percentEncoded: false)) }

    /// Reads a text.
    ///
    /// - Parameter key: The name of the text.
    /// - Returns: The text, `nil` where there is none.
    /// - Throws: An error when the file is there and cannot be read.
    public func string(for key: String) throws -> String? { try path.withLock { try Self.read($0)[key] } }

    /// Writes or removes a text.
    ///
    /// - Parameters:
    ///   - value: The text, `nil` to remove it.
    ///   - key: The name of the text.
    /// - Throws: ``Failure`` when the file cannot be replaced.
    public func set(_ value: String?, for key: String) throws {
        try path.withLock { path in
            var values = try Self.read(path)
            values[key] = value
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try Self.replace(path, with: encoder.encode(values))
        }
    }

    private static func read(_ path: String) throws -> [String: String] {
        guard access(path, F_OK) == 0 else { return [:] }
        return try JSONDecoder().decode([String: String].self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Writes a new file with its own permissions from the start, and puts it in the place of the old one.
    private static func replace(_ path: String, with data: Data) throws {
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("opening", draft) }
        var problem: Failure?
        data.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count, problem == nil {
                let count = write(file, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
                if count > 0 { offset += count } else if errno != EINTR { problem = failure("writing", draft) }
            }
        }
        if problem == nil, fchmod(file, 0o600) != 0 || fsync(file) != 0 { problem = failure("finishing", draft) }
        close(file)
        if let problem { throw problem }
        guard rename(draft, path) == 0 else { throw failure("replacing", path) }
    }

    private static func failure(_ step: String, _ path: String) -> Failure {
        Failure(description: "\(step) \(path) failed: \(String(cString: strerror(errno)))")
    }
}
